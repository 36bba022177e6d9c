//! Suggestions for a mistyped word.
use strsim::levenshtein;

/// The name that `word` may stand for: one that holds it, else one that differs from it in few
/// letters; `None` where none is near.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if word.is_empty() || word.len() > 100 {
        return None;
    }
    let part_of = names.clone().find(|it| it.contains(word));
    let like = names.min_by_key(|it| levenshtein(it, word));
    part_of.or_else(|| like.filter(|like| levenshtein(like, word) <= like.len() / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_or_a_slip_is_enough_and_anything_else_is_not() {
        let near = |word| nearest(word, ["throughput", "stopped"].into_iter());
        assert_eq!(near("through"), Some("throughput"));
        assert_eq!(near("stoped"), Some("stopped"));
        assert_eq!(near("moon"), None);
        assert_eq!(near(""), None);
    }
}
