//! In which zone times of day are shown.
use clap::Args;
use report::TimeZone;

/// In which zone times of day are shown; they always say which it is.
#[derive(Clone, Debug, Default, Args)]
pub struct ZoneArgs {
    /// Show times of day in UTC; the same as --zone utc
    #[arg(long, conflicts_with = "zone")]
    pub utc: bool,
    /// Show times of day in this zone: local, utc, log (that of the dates in the GC log, UTC if it has
    /// none), or a name such as Europe/Berlin; JSON and CSV have UTC [default: local]
    #[arg(long, value_name = "ZONE", value_parser = parse)]
    pub zone: Option<Zone>,
}

/// A zone as it was typed, and what it means.
#[derive(Clone, Debug)]
pub struct Zone {
    text: String,
    which: Which,
}

#[derive(Clone, Debug)]
enum Which {
    Local,
    Log,
    Named(TimeZone),
}

impl ZoneArgs {
    /// The zone for an input whose GC log has dates that are this many minutes ahead of UTC.
    pub(crate) fn of(&self, log_offset_min: Option<i16>) -> TimeZone {
        match self.zone.as_ref().map(|it| &it.which) {
            _ if self.utc => TimeZone::UTC,
            None | Some(Which::Local) => TimeZone::system(),
            Some(Which::Named(zone)) => zone.clone(),
            Some(Which::Log) => log_offset_min.and_then(ahead).unwrap_or(TimeZone::UTC),
        }
    }

    /// The same as arguments, for a part of this program.
    pub(crate) fn words(&self) -> Vec<String> {
        match &self.zone {
            _ if self.utc => vec!["--utc".into()],
            Some(it) => vec![format!("--zone={}", it.text)],
            None => Vec::new(),
        }
    }
}

fn ahead(minutes: i16) -> Option<TimeZone> {
    let offset = jiff::tz::Offset::from_seconds(i32::from(minutes) * 60).ok()?;
    Some(offset.to_time_zone())
}

fn parse(text: &str) -> Result<Zone, String> {
    let which = match text {
        "local" => Which::Local,
        "log" => Which::Log,
        "utc" | "UTC" => Which::Named(TimeZone::UTC),
        name => Which::Named(TimeZone::get(name).map_err(|_| {
            format!("no time zone is called `{name}`: use local, utc, log, or a name such as Europe/Berlin")
        })?),
    };
    Ok(Zone { text: text.to_owned(), which })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(zone: &str, log_offset_min: Option<i16>, expected: &str) {
        let args = ZoneArgs { utc: false, zone: Some(parse(zone).expect("a zone")) };
        let at = jiff::Timestamp::UNIX_EPOCH.to_zoned(args.of(log_offset_min));
        assert_eq!(at.strftime("%:z").to_string(), expected, "{zone}");
        assert_eq!(args.words(), [format!("--zone={zone}")]);
    }

    #[test]
    fn the_log_decides_where_it_has_dates() {
        check("log", Some(120), "+02:00");
        check("log", Some(-210), "-03:30");
        check("log", None, "+00:00");
        check("utc", Some(120), "+00:00");
    }

    #[test]
    fn a_zone_that_is_none_is_said() {
        let said = parse("Mars/Olympus").expect_err("no zone");
        assert!(said.starts_with("no time zone is called `Mars/Olympus`: use local"), "{said}");
    }
}
