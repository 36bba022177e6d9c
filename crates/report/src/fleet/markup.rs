//! Text and numbers as markup.
use std::fmt::Write;

/// Text that cannot be markup.
pub(super) fn text(text: &str) -> String {
    let mut out = Vec::new();
    crate::html::escaped(text, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("text with entities is text")
}

/// A path of rectangles, each from one place to another, of these heights, on a ground line.
pub(super) fn rectangles(all: impl Iterator<Item = (usize, usize, u64)>, ground: u64) -> String {
    let mut path = String::new();
    for (from, to, height) in all.filter(|it| it.2 > 0) {
        let wide = to - from;
        write!(path, "M{from} {ground}v-{height}h{wide}v{height}z").expect("memory takes all");
    }
    path
}

/// The stretches of equal values, with where they begin and end.
pub(super) fn runs<T: PartialEq + Copy>(values: &[T]) -> Vec<(usize, usize, T)> {
    let mut from = 0;
    let runs = values.chunk_by(|a, b| a == b).map(|run| {
        let begin = from;
        from += run.len();
        (begin, from, run[0])
    });
    runs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_rectangle() {
        assert_eq!(runs(&[1, 1, 0, 2]), [(0, 2, 1), (2, 3, 0), (3, 4, 2)]);
        assert_eq!(runs::<u8>(&[]), []);
        assert_eq!(rectangles([(0, 2, 1), (2, 3, 0)].into_iter(), 1), "M0 1v-1h2v1z");
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(text("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
