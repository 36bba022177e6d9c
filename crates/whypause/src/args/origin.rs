//! What rows say of the host that they are of.
use clap::Args;
use std::collections::BTreeMap;

/// Labels of a host, as many as a table holds.
const MOST_LABELS: usize = 32;
/// Longest key or value, in bytes.
const MOST_BYTES: usize = 256;

/// What rows say of the host that they are of.
#[derive(Clone, Debug, Default, Args)]
pub struct OriginArgs {
    /// Name of the host in rows [default: that of the recording, or of the host that is watched]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub host: Option<String>,
    /// Name of the cluster in rows
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub cluster: Option<String>,
    /// A label of the host in rows, such as deploy=b or rack=r7; may be given up to 32 times
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    pub labels: Vec<(String, String)>,
}

impl OriginArgs {
    /// As it stands in rows.
    pub(crate) fn origin(&self) -> table::Origin {
        let labels: BTreeMap<String, String> =
            self.labels.iter().take(MOST_LABELS).cloned().collect();
        table::Origin {
            host: self.host.clone().unwrap_or_default(),
            cluster: self.cluster.clone(),
            labels,
            ..table::Origin::default()
        }
    }

    /// Whether anything was given.
    pub(crate) fn is_given(&self) -> bool {
        self.host.is_some() || self.cluster.is_some() || !self.labels.is_empty()
    }
}

fn name(text: &str) -> Result<String, String> {
    match text.len() {
        0 => Err("it is empty".into()),
        1..=MOST_BYTES => Ok(text.to_owned()),
        _ => Err(format!("it is longer than {MOST_BYTES} bytes")),
    }
}

fn label(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("a label is KEY=VALUE, such as rack=r7")?;
    let is_key = |it: char| it.is_ascii_alphanumeric() || "._-/".contains(it);
    if key.is_empty() || !key.chars().all(is_key) {
        return Err("the key of a label is of letters, digits, `.`, `_`, `-` and `/`".into());
    }
    Ok((name(key)?, name(value)?))
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn a_label_is_a_key_and_a_value() {
        assert_eq!(label("rack=r7"), Ok(("rack".into(), "r7".into())));
        assert_eq!(label("app.io/deploy=a=b"), Ok(("app.io/deploy".into(), "a=b".into())));
        for bad in ["rack", "=r7", "ra ck=r7", "rack="] {
            assert!(label(bad).is_err(), "{bad}");
        }
        let of = |bytes: usize| label(&format!("rack={}", "x".repeat(bytes)));
        assert!(of(256).is_ok() && of(257).is_err());
    }
}
