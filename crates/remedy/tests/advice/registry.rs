//! Causes name remedies that are there, and every remedy is good for a cause.
use std::collections::BTreeSet;

#[test]
fn causes_and_remedies_know_each_other() {
    let known: BTreeSet<&str> = remedy::remedies().iter().map(|it| it.id).collect();
    let named: BTreeSet<&str> =
        diagnose::causes().iter().flat_map(|it| it.remedies.iter().copied()).collect();
    let unknown: Vec<_> = named.difference(&known).collect();
    assert!(unknown.is_empty(), "causes name remedies that are not there: {unknown:?}");
    let useless: Vec<_> = known.difference(&named).collect();
    assert!(useless.is_empty(), "no cause names these: {useless:?}");
}

#[test]
fn ids_are_unique_and_in_order() {
    let ids: Vec<&str> = remedy::remedies().iter().map(|it| it.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
}

#[test]
fn the_page_of_a_cause_has_the_summaries_of_its_remedies() {
    for cause in diagnose::causes() {
        let page = remedy::page_of_cause(cause);
        for id in cause.remedies {
            let summary = remedy::find(id).expect("it is there").summary;
            assert!(page.contains(&format!("`{id}`: {summary}\n")), "{} on {}", id, cause.id);
        }
        assert_eq!(page.contains("## Remedies"), !cause.remedies.is_empty(), "{}", cause.id);
        assert!(page.contains("## References"), "{}", cause.id);
    }
}
