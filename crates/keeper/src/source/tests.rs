//! What is read of a log whose files are renamed, truncated and replaced.
