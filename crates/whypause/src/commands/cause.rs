//! `whypause cause`: the page of a cause, or the list of all.
use crate::{Exit, Failure, args::CauseArgs, console::Console};
use diagnose::Cause;

pub(crate) fn run(args: &CauseArgs, console: &Console) -> Result<Exit, Failure> {
    let text = match &args.id {
        None => report::page::list(diagnose::causes(), console.style()),
        Some(id) => report::page::render(&find(id)?.page(), console.style()),
    };
    console.print(&text)?;
    Ok(Exit::Fine)
}

fn find(id: &str) -> Result<&'static Cause, Failure> {
    let causes = diagnose::causes();
    if let Some(cause) = causes.iter().find(|cause| cause.id == id) {
        return Ok(cause);
    }
    let part_of = causes.iter().map(|cause| cause.id).find(|it| !id.is_empty() && it.contains(id));
    let like = causes.iter().map(|cause| cause.id).min_by_key(|it| distance(it, id));
    let hint = match part_of.or(like.filter(|like| distance(like, id) <= like.len() / 2)) {
        Some(near) => format!("did you mean `{near}`? `whypause cause` lists all"),
        None => "`whypause cause` lists all causes".to_owned(),
    };
    Err(Failure::input(format!("no cause is called `{id}`"), hint))
}

/// Levenshtein's distance, in bytes: how many are to be inserted, removed or replaced.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("gc-work", "gc-work"), 0);
        assert_eq!(distance("gc-work", "gcwork"), 1);
        assert_eq!(distance("gc-work", "cg-work"), 2);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn every_page_is_found() {
        for cause in diagnose::causes() {
            assert_eq!(find(cause.id).expect("it is listed").id, cause.id);
        }
    }
}
