//! What is known of hosts beside what they recorded: a CSV file.
use crate::Failure;
use std::{collections::BTreeMap, fs::File, io::Read, path::Path};
use table::Origin;

/// A larger file is no list of hosts.
const MOST_BYTES: u64 = 64 << 20;

/// What is known, by host.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    by_host: BTreeMap<String, Origin>,
}

impl Inventory {
    /// Reads one. The column `host` names the host; `cluster`, `kernel` and `boot` are what they are called, and all
    /// others are labels.
    pub(super) fn read(path: &Path) -> Result<Inventory, Failure> {
        let file = File::open(path).map_err(|error| Failure::file(path, &error))?;
        Inventory::of(file.take(MOST_BYTES))
            .map_err(|why| Failure::input(format!("`{}`: {why}", path.display()), HINT))
    }

    fn of(text: impl Read) -> Result<Inventory, String> {
        let mut rows = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text);
        let columns = rows.headers().map_err(|error| error.to_string())?.clone();
        let Some(host) = columns.iter().position(|it| it == "host") else {
            return Err("it has no column `host`".into());
        };
        let mut by_host = BTreeMap::new();
        for row in rows.records() {
            let row = row.map_err(|error| error.to_string())?;
            let mut origin = Origin::default();
            for (name, value) in columns.iter().zip(row.iter()).filter(|it| !it.1.is_empty()) {
                let value = value.to_owned();
                match name {
                    "host" => origin.host = value,
                    "cluster" => origin.cluster = Some(value),
                    "kernel" => origin.kernel = Some(value),
                    "boot" => origin.boot = Some(value),
                    _ => drop(origin.labels.insert(name.to_owned(), value)),
                }
            }
            let name = row.get(host).unwrap_or_default().to_owned();
            if by_host.insert(name.clone(), origin).is_some() {
                return Err(format!("the host `{name}` is in it twice"));
            }
        }
        Ok(Inventory { by_host })
    }

    /// That it names none of these hosts, where there are some.
    pub(super) fn mismatch<'a>(&self, hosts: impl Iterator<Item = &'a str>) -> Option<String> {
        let hosts: Vec<&str> = hosts.collect();
        let known = self.by_host.keys().next()?;
        let first = hosts.iter().min()?;
        let is_none = !hosts.iter().any(|it| self.by_host.contains_key(*it));
        is_none.then(|| {
            format!(
                "no host of the inventory (such as `{known}`) is among those that were found (such as `{first}`): \
                 put what is of a host into a directory `host=NAME`"
            )
        })
    }

    /// Adds what is known of the host of `origin` where that does not say it.
    pub(super) fn fill(&self, origin: &mut Origin) {
        let Some(known) = self.by_host.get(&origin.host) else { return };
        origin.cluster = origin.cluster.take().or_else(|| known.cluster.clone());
        origin.kernel = origin.kernel.take().or_else(|| known.kernel.clone());
        origin.boot = origin.boot.take().or_else(|| known.boot.clone());
        for (key, value) in &known.labels {
            origin.labels.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
}

const HINT: &str =
    "an inventory is a CSV file whose first line names its columns, such as `host,rack,deploy`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_what_they_are_called() {
        let text = "host,cluster,rack,deploy\nweb-1,eu,r7,\"a,b\"\nweb-2,,,\n";
        let inventory = Inventory::of(text.as_bytes()).expect("a list of hosts");
        let known = |host: &str| {
            let mut origin = Origin { host: host.into(), ..Origin::default() };
            inventory.fill(&mut origin);
            origin
        };
        let it = known("web-1");
        assert_eq!((it.cluster.as_deref(), it.kernel), (Some("eu"), None));
        assert_eq!(it.labels["deploy"], "a,b");
        assert!(known("web-2").labels.is_empty() && known("web-3").labels.is_empty());
    }

    #[test]
    fn what_a_row_says_goes_before_the_inventory() {
        let inventory = Inventory::of("host,kernel,rack\na,6.1,r1\n".as_bytes()).expect("a list");
        let mut origin =
            Origin { host: "a".into(), kernel: Some("6.8".into()), ..Origin::default() };
        inventory.fill(&mut origin);
        assert_eq!((origin.kernel.as_deref(), &*origin.labels["rack"]), (Some("6.8"), "r1"));
    }

    #[test]
    fn an_inventory_of_other_hosts_is_said() {
        let said = |text: &str, hosts: &[&str]| {
            let inventory = Inventory::of(text.as_bytes()).expect("a list");
            inventory.mismatch(hosts.iter().copied())
        };
        let words = said("host,rack\nweb-2,r1\nweb-1,r1\n", &["logs", "kept"]).expect("words");
        assert!(
            words.contains("(such as `web-1`)") && words.contains("(such as `kept`)"),
            "{words}"
        );
        assert_eq!(said("host,rack\nweb-1,r1\n", &["logs", "web-1"]), None);
        assert_eq!(said("host,rack\nweb-1,r1\n", &[]), None);
        assert_eq!(said("host,rack\n", &["logs"]), None);
    }

    #[test]
    fn what_is_no_inventory_is_said() {
        let why = |text: &str| Inventory::of(text.as_bytes()).expect_err("no list of hosts");
        assert_eq!(why("name,rack\na,b\n"), "it has no column `host`");
        assert_eq!(why("host,rack\na,b\na,c\n"), "the host `a` is in it twice");
        assert!(why("host,rack\na,b,c\n").contains("3 fields"), "{}", why("host,rack\na,b,c\n"));
    }
}
