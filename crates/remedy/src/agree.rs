//! No two pieces of advice in one answer contradict each other.
//!
//! Causes are looked at one by one, and two of them may ask for the same flag with different values.
//! A reader who finds `-XX:ParallelGCThreads=1` and `=2` on one screen believes neither.
use crate::{Advice, action};
use std::collections::BTreeMap;

/// Has every flag one value: of heaps the largest, of thread counts the smallest, of others that of
/// the finding with most time.
pub(crate) fn settle(all: &mut [Vec<Advice>]) {
    let mut chosen: BTreeMap<String, Advice> = BTreeMap::new();
    for advice in all.iter().flatten() {
        let [flag] = advice.action.jvm_flags() else { continue };
        let Some(name) = action::flag_name(flag).map(str::to_owned) else { continue };
        let better =
            chosen.get(&name).is_none_or(|it| is_better(&name, flag, &it.action.jvm_flags()[0]));
        if better {
            chosen.insert(name, advice.clone());
        }
    }
    for advice in all.iter_mut().flatten() {
        let [flag] = advice.action.jvm_flags() else { continue };
        if let Some(it) = action::flag_name(flag).and_then(|name| chosen.get(name)) {
            advice.action = it.action.clone();
            advice.note.clone_from(&it.note);
            advice.replaces.clone_from(&it.replaces);
        }
    }
}

/// Whether `flag` is to be preferred to `other` of the same name.
fn is_better(name: &str, flag: &str, other: &str) -> bool {
    let value = |flag: &str| action::flag_number(flag);
    let (Some(one), Some(other)) = (value(flag), value(other)) else { return false };
    match name {
        "-Xmx" => one > other,
        "ParallelGCThreads" | "ConcGCThreads" => one < other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;

    fn settled(all: &[&[&str]]) -> String {
        let advice = |flag: &&str| Advice::at_next_start(Action::flag(*flag), format!("n{flag}"));
        let mut all: Vec<Vec<Advice>> =
            all.iter().map(|it| it.iter().map(advice).collect()).collect();
        settle(&mut all);
        let shown = |it: &Advice| {
            assert_eq!(it.note, format!("n{}", it.action));
            it.action.to_string()
        };
        all.iter().flatten().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_flag_has_one_value_in_one_answer() {
        assert_eq!(settled(&[&["-Xmx900m"], &["-Xmx1g", "-Xmx5m"]]), "-Xmx1g -Xmx1g -Xmx1g");
        let threads = settled(&[&["-XX:ParallelGCThreads=2"], &["-XX:ParallelGCThreads=1"]]);
        assert_eq!(threads, "-XX:ParallelGCThreads=1 -XX:ParallelGCThreads=1");
        assert_eq!(settled(&[&["-XX:X=3"], &["-XX:X=9"]]), "-XX:X=3 -XX:X=3");
        assert_eq!(settled(&[&["-XX:X=3"], &["-XX:+Y", "-Xss1m"]]), "-XX:X=3 -XX:+Y -Xss1m");
        // An option that may be given several times.
        assert_eq!(settled(&[&["-Xlog:async"], &["-Xlog:gc"]]), "-Xlog:async -Xlog:gc");
    }
}
