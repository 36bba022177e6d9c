//! The scenarios as JSON, schema version 1. It only grows.
use crate::{Collector, Reason, Scenario, Variant};
use serde_json::{Value, json};

/// Scenarios with their variants and pages, and what this host lacks for each; indented, with a line end.
#[must_use]
pub fn list_json(scenarios: &[&Scenario]) -> String {
    let scenarios: Vec<Value> = scenarios.iter().map(|it| scenario(it)).collect();
    format!("{:#}\n", json!({ "schema_version": 1, "scenarios": scenarios }))
}

fn scenario(it: &Scenario) -> Value {
    json!({
        "id": it.id,
        "cause": it.cause,
        "title": it.title,
        "judged_by": it.judged_by,
        "collectors": it.collectors.iter().map(|it| Collector::id(*it)).collect::<Vec<_>>(),
        "recorded_ns": u64::try_from(it.recorded.as_nanos()).unwrap_or(u64::MAX),
        "variants": it.variants.iter().map(variant).collect::<Vec<_>>(),
        "lacks": lacks((it.can_run)()),
        "page": it.page,
    })
}

fn variant(it: &Variant) -> Value {
    json!({
        "name": it.name,
        "role": it.role,
        "what": it.what,
        "since_jdk": it.since_jdk,
        "mechanism": it.mechanism,
        "lacks": lacks((it.can_run)()),
    })
}

/// Why it cannot run here; null where it can.
fn lacks(can_run: Result<(), Reason>) -> Value {
    match can_run {
        Ok(()) => Value::Null,
        Err(reason) => json!({
            "reason": reason.lacks,
            "hint": Some(reason.hint).filter(|it| !it.is_empty()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list;

    #[test]
    fn every_scenario_is_listed_with_its_variants() {
        let document: Value = serde_json::from_str(&list_json(list())).expect("JSON");
        assert_eq!(document["schema_version"], 1);
        let scenarios = document["scenarios"].as_array().expect("a list");
        assert_eq!(scenarios.len(), list().len());
        for (it, json) in list().iter().zip(scenarios) {
            assert_eq!((&json["id"], &json["cause"]), (&json!(it.id), &json!(it.cause)));
            assert_eq!(json["page"], it.page);
            let names: Vec<&Value> =
                json["variants"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
            assert_eq!(names, it.variants.iter().map(|it| it.name).collect::<Vec<_>>());
        }
    }
}
