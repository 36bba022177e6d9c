//! Programs whose name says nothing without what they run.

/// Those whose first argument is a script.
const INTERPRETERS: [&str; 14] = [
    "sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "python", "perl", "ruby", "node", "php",
    "lua", "Rscript",
];

/// Whether this is the name of a program that runs scripts, with or without a version: `python3.11`.
#[must_use]
pub fn runs_scripts(program: &str) -> bool {
    INTERPRETERS.contains(&program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::runs_scripts;

    #[test]
    fn an_interpreter_may_have_a_version() {
        assert!(runs_scripts("python3.11") && runs_scripts("sh"));
        assert!(!runs_scripts("shred") && !runs_scripts("") && !runs_scripts("java"));
    }
}
