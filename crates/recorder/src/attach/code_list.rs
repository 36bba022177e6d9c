//! The text of `Compiler.codelist`.
use super::answer;
use std::collections::BTreeMap;

/// The compiled code of a JVM at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CodeList {
    /// Methods by where their code begins, with its end.
    methods: BTreeMap<u64, (u64, String)>,
    /// Memory for compiled code: methods, and what HotSpot makes for itself at its start.
    memory: Vec<(u64, u64)>,
}

/// What the code at an address is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CodeKind<'a> {
    /// A compiled method.
    Method(&'a str),
    /// No method, but compiled code: mostly an intrinsic, as for the copy of an array.
    Intrinsic,
    /// Native code.
    Native,
}

impl CodeList {
    /// Reads the answer of the JVM (HotSpot `CodeCache::print_codelist`, JDK 9 and later). A line
    /// is `106 4 0 demo.Orders.sum([D)D [0x…, 0x… - 0x…]`: compilation, level, state, method, and
    /// where its header, its code and its end are. Other lines are left out. `memory` is where the
    /// process has executable memory of its own.
    pub(super) fn parse(text: &str, memory: Vec<(u64, u64)>) -> CodeList {
        CodeList { methods: text.lines().filter_map(method).collect(), memory }
    }

    /// What has code at this address.
    pub(super) fn kind_at(&self, address: u64) -> CodeKind<'_> {
        match self.methods.range(..=address).next_back() {
            Some((_, (end, method))) if address < *end => CodeKind::Method(method),
            _ if self.memory.iter().any(|it| (it.0..it.1).contains(&address)) => {
                CodeKind::Intrinsic
            }
            _ => CodeKind::Native,
        }
    }
}

fn method(line: &str) -> Option<(u64, (u64, String))> {
    let (head, place) = line.trim_end().strip_suffix(']')?.rsplit_once(" [")?;
    let (begin, end) = place.split_once(", ")?.1.split_once(" - ")?;
    let method = head.split_ascii_whitespace().nth(3)?;
    Some((address(begin)?, (address(end)?, answer::name(method))))
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
            vec![(0x7f27_7c00_0000, 0x7f27_7d00_0000)],
        );
        assert_eq!(list.kind_at(0x7f27_7c0c_e49f), CodeKind::Intrinsic);
        assert_eq!(list.kind_at(0x7f27_7c0c_e4a0), CodeKind::Method("Late.spin(D)V"));
        assert_eq!(list.kind_at(0x7f27_7c0c_e677), CodeKind::Method("Late.spin(D)V"));
        assert_eq!(list.kind_at(0x7f27_7c0c_e678), CodeKind::Intrinsic);
        assert_eq!(list.kind_at(0x7f27_7c0c_eb80), CodeKind::Method("a.B.run()V"));
        assert_eq!(list.kind_at(0x7f27_7bff_ffff), CodeKind::Native);
        assert_eq!(list.kind_at(0x7f27_7d00_0000), CodeKind::Native);
    }

    #[test]
    fn lines_that_are_no_methods_are_left_out() {
        for line in ["", "]", "1 2 3 [0x1, 0x2 - 0x3]", "1 4 0 m [0x1, 2 - 0x3]", "1 4 0 m [0x1]"] {
            assert_eq!(CodeList::parse(line, vec![]), CodeList::default(), "{line}");
        }
    }
}
