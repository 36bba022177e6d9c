//! Records of each collector and option: lines in, events out.
