//! Threads that differ in their number alone.

/// `http-nio-8080-exec-7` is one of `http-nio-8080-exec-*`: the last number of a name is that of the thread,
/// where nothing but brackets follows it.
pub(super) fn pool_of(name: &str) -> String {
    let is_number = |it: &char| it.is_ascii_digit();
    let end = name.trim_end_matches([']', ')', '>']);
    let stem = end.trim_end_matches(|it| is_number(&it));
    if stem.len() == end.len() || stem.is_empty() {
        return name.to_owned();
    }
    format!("{stem}*{}", &name[end.len()..])
}

#[cfg(test)]
mod tests {
    use super::pool_of;

    #[test]
    fn threads_of_a_pool_differ_in_their_number() {
        assert_eq!(pool_of("appender-3"), "appender-*");
        assert_eq!(pool_of("http-nio-8080-exec-17"), "http-nio-8080-exec-*");
        assert_eq!(pool_of("elasticsearch[node][write][T#3]"), "elasticsearch[node][write][T#*]");
        assert_eq!(pool_of("main"), "main");
        assert_eq!(pool_of("4711"), "4711");
        assert_eq!(pool_of(""), "");
    }
}
