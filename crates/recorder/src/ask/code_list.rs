//! The text of `Compiler.codelist`.
use std::collections::BTreeMap;

/// The compiled methods of a JVM at one instant, by where their code begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CodeList(BTreeMap<u64, (u64, String)>);

impl CodeList {
    /// Reads the answer of the JVM (HotSpot `CodeCache::print_codelist`, JDK 9 and later). A line
    /// is `106 4 0 demo.Orders.sum([D)D [0x…, 0x… - 0x…]`: compilation, level, state, method, and
    /// where its header, its code and its end are. Other lines are left out.
    pub(super) fn parse(text: &str) -> CodeList {
        CodeList(text.lines().filter_map(method).collect())
    }

    /// The method that has code at this address.
    pub(super) fn method(&self, address: u64) -> Option<&str> {
        let (_, (end, method)) = self.0.range(..=address).next_back()?;
        (address < *end).then_some(method)
    }
}

fn method(line: &str) -> Option<(u64, (u64, String))> {
    let (head, place) = line.trim_end().strip_suffix(']')?.rsplit_once(" [")?;
    let (begin, end) = place.split_once(", ")?.1.split_once(" - ")?;
    let method = head.split_ascii_whitespace().nth(3)?;
    Some((address(begin)?, (address(end)?, method.to_owned())))
}

fn address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_method_whose_code_it_is_in() {
        let list = CodeList::parse(
            "11858:
             106 4 2 Late.spin(D)V [0x00007f277c0ce310, 0x00007f277c0ce4a0 - 0x00007f277c0ce678]
             21:34 4 0 a.B.run()V [0x00007f277c0cea88, 0x00007f277c0ceb80 - 0x00007f277c0ceec0]
",
        );
        assert_eq!(list.method(0x7f27_7c0c_e49f), None);
        assert_eq!(list.method(0x7f27_7c0c_e4a0), Some("Late.spin(D)V"));
        assert_eq!(list.method(0x7f27_7c0c_e677), Some("Late.spin(D)V"));
        assert_eq!(list.method(0x7f27_7c0c_e678), None);
        assert_eq!(list.method(0x7f27_7c0c_eb80), Some("a.B.run()V"));
    }

    #[test]
    fn lines_that_are_no_methods_are_left_out() {
        for line in ["", "]", "1 2 3 [0x1, 0x2 - 0x3]", "1 4 0 m [0x1, 2 - 0x3]", "1 4 0 m [0x1]"] {
            assert_eq!(CodeList::parse(line), CodeList::default(), "{line}");
        }
    }
}
