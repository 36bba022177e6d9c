//! What a JVM's version says.

/// The feature version: 17 of `17.0.15+6`, 8 of `1.8.0_412`; `None` of what is no version.
#[must_use]
pub fn feature_version(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match numbers.next()?.ok()? {
        1 => numbers.next()?.ok(),
        feature => Some(feature),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_versions_of_all_ages() {
        assert_eq!(feature_version("17.0.15+6-Debian"), Some(17));
        assert_eq!(feature_version("1.8.0_412-b08"), Some(8));
        assert_eq!(feature_version("25+36"), Some(25));
        assert_eq!(feature_version(""), None);
    }
}
