//! In a crate imports run one way: no two folders, or files beside each other, import each other.

mod tests {
    use crate::{imports::Imports, tidy::no_complaints};

    /// Crates of which this does not hold yet.
    const NOT_YET: [&str; 1] = ["lab"];

    fn complaints(name: &str) -> Vec<String> {
        let circles = Imports::of(name).expect("the crate is there").folder_circles().into_iter();
        circles.map(|it| format!("{name}: these import each other: {}", it.join(", "))).collect()
    }

    #[test]
    fn what_reasons_has_no_circle_at_all() {
        let circles = Imports::of("diagnose").expect("the crate is there").circles().into_iter();
        no_complaints(&circles.map(|it| it.join(", ")).collect::<Vec<_>>());
    }

    #[test]
    fn folders_do_not_import_each_other() {
        let crates = std::fs::read_dir(crate::tree::root().join("crates")).expect("the crates");
        let names = crates.flatten().map(|it| it.file_name().to_string_lossy().into_owned());
        let checked: Vec<_> = names.filter(|it| !NOT_YET.contains(&it.as_str())).collect();
        assert!(checked.iter().any(|it| it == "diagnose"), "{checked:?}");
        no_complaints(&checked.iter().flat_map(|it| complaints(it)).collect::<Vec<_>>());
    }

    #[test]
    fn a_crate_is_on_the_list_only_while_it_has_to_be() {
        for name in NOT_YET {
            assert!(!complaints(name).is_empty(), "{name} has no circle any more");
        }
    }
}
