//! In a crate imports run one way: no two folders, or files beside each other, import each other.

mod tests {
    use crate::{imports::Imports, tidy::no_complaints};

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
        let names: Vec<_> = names.collect();
        assert!(names.iter().any(|it| it == "diagnose"), "{names:?}");
        no_complaints(&names.iter().flat_map(|it| complaints(it)).collect::<Vec<_>>());
    }
}
