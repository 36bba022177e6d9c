#!/usr/bin/awk -f
# Reads the output of `cargo test -- --show-output` and leaves out what tests that passed printed.

/^successes:$/ { hidden = 1 }
/^failures:$/ { hidden = 0 }
/^test result: / { hidden = 0 }
!hidden { print; fflush() }
