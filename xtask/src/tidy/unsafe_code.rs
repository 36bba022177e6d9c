//! Only the crates that speak to the kernel may be unsafe, and each time they say why it is sound.
use super::{ask_of_all, blank, complain_of_lines};
use crate::tree::rust_files;

const MAY_BE_UNSAFE: [&str; 3] = ["recorder", "lab", "spawn"];

/// Complains of unsafe code in the wrong crate, or without its reason.
fn unsafe_code(path: &str, crate_name: &str, text: &str) -> Vec<String> {
    let code = blank::code(text);
    if !MAY_BE_UNSAFE.contains(&crate_name) {
        return complain_of_lines(path, &code, "`unsafe` in a crate that has none", has_unsafe);
    }
    let lines: Vec<&str> = text.lines().collect();
    let needs_reason = |line: &str| line.contains("unsafe {") || line.contains("unsafe impl");
    let numbered = code.lines().enumerate().filter(|(_, line)| needs_reason(line));
    let without = numbered.filter(|(index, _)| !reason_is_given(&lines, *index));
    without.map(|(index, _)| format!("{path}:{}: no `// SAFETY:`", index + 1)).collect()
}

fn has_unsafe(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == "unsafe")
}

/// Whether the comment above a line, or above the statement it belongs to, gives the reason.
fn reason_is_given(lines: &[&str], index: usize) -> bool {
    let above = lines[..index].iter().rev().map(|line| line.trim());
    let comment = above
        .skip_while(|line| {
            !line.starts_with("//") && !line.is_empty() && !line.ends_with([';', '}'])
        })
        .take_while(|line| line.starts_with("//"));
    lines[index].contains("// SAFETY:") || comment.into_iter().any(|it| it.contains("SAFETY:"))
}

mod tests {
    use super::*;

    #[test]
    fn unsafe_code_is_where_it_may_be_and_says_why() {
        ask_of_all(&rust_files(), |file| unsafe_code(&file.path, file.crate_name(), &file.text));
    }

    #[track_caller]
    fn check(crate_name: &str, text: &str, wanted: usize) {
        assert_eq!(unsafe_code("a.rs", crate_name, text).len(), wanted, "{text}");
    }

    #[test]
    fn only_some_crates_may() {
        check("diagnose", "// SAFETY: no\nunsafe { f() }", 1);
        check("diagnose", "#![forbid(unsafe_code)] // unsafe", 0);
    }

    #[test]
    fn the_reason_stands_above() {
        check("lab", "unsafe { f() }", 1);
        check("lab", "// SAFETY: f has no demands\nunsafe { f() }", 0);
        check("lab", "// SAFETY: f has no demands\nlet x =\n    unsafe { f() };", 0);
        check("lab", "// SAFETY: f has no demands\nlet x = 1;\nunsafe { f() }", 1);
    }
}
