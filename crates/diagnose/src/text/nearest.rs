//! What somebody may have meant.

/// The name that `word` may stand for: one that holds it, else one that differs from it in few
/// letters; `None` where none is near.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if word.is_empty() || word.len() > 100 {
        return None;
    }
    let part_of = names.clone().find(|it| it.contains(word));
    let like = names.min_by_key(|it| distance(it, word));
    part_of.or_else(|| like.filter(|like| distance(like, word) <= like.len() / 2))
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
    fn a_part_or_a_slip_is_enough_and_anything_else_is_not() {
        let near = |word| nearest(word, ["throughput", "stopped"].into_iter());
        assert_eq!(near("through"), Some("throughput"));
        assert_eq!(near("stoped"), Some("stopped"));
        assert_eq!(near("moon"), None);
        assert_eq!(near(""), None);
    }
}
