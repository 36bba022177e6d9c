//! `--json`, the short form of `--format json`.
use clap::{ArgMatches, Args};

/// The short form of `--format json`, beside each `--format` that has it: there `json` is the default
/// where this flag is given (`default_value_if`), so that commands look at the format alone.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct JsonFlag {
    /// The short form of --format json
    #[arg(long)]
    pub json: bool,
}

/// The format that was given in addition to `--json`, where it is another one.
pub(crate) fn other_format(matches: &ArgMatches) -> Option<String> {
    let mut matches = matches;
    while let Some((_, inner)) = matches.subcommand() {
        matches = inner;
    }
    let is_given = matches.try_get_one::<bool>("json").ok().flatten().copied()?;
    let format = matches.try_get_raw("format").ok().flatten()?.next()?.to_string_lossy();
    (is_given && format != "json").then(|| format.into_owned())
}
