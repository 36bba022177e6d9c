//! A query over the tables of many hosts: DuckDB answers it, through the library for Python.
use crate::{
    Failure,
    args::{FleetArgs, FleetFormat},
};
use std::{
    ffi::OsString,
    io::ErrorKind,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

/// What Python runs. The environment and files beside it change nothing (`-I`); all that is asked for are arguments of
/// their own.
const START: &str = "\
import sys
try:
    from whypause.sql.__main__ import main
except ModuleNotFoundError as missing:
    print(f'error: `--sql` needs the library for Python: {missing} (in {sys.executable})', file=sys.stderr)
    print(\"hint: pip install 'whypause[fleet]'; `--python PROGRAM` is another Python\", file=sys.stderr)
    sys.exit(2)
sys.exit(main())
";

/// Becomes Python, which answers the query and ends as this would.
pub(super) fn ask(args: &FleetArgs, query: &str) -> Failure {
    let Some(format) = format(args.format) else {
        let hint = "`--format csv` and `--format json` are for programs";
        return Failure::input("an answer to `--sql` is no page", hint);
    };
    let error = command(args, query, format).exec();
    let program = args.python.display();
    let hint = "`--sql` needs Python with `pip install 'whypause[fleet]'`; `--python PROGRAM` is another one";
    match error.kind() {
        ErrorKind::NotFound => Failure::input(format!("there is no `{program}`"), hint),
        _ => Failure::input(format!("`{program}` cannot be started: {error}"), hint),
    }
}

fn command(args: &FleetArgs, query: &str, format: &str) -> Command {
    let mut command = spawn::command(&args.python);
    command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    command.args(["-I", "-c", START, "--format", format]);
    if let Some(file) = &args.inventory {
        let mut word = OsString::from("--inventory=");
        word.push(file);
        command.arg(word);
    }
    command.arg(format!("--sql={query}")).arg("--").args(&args.paths);
    command
}

fn format(of: FleetFormat) -> Option<&'static str> {
    match of {
        FleetFormat::Text => Some("text"),
        FleetFormat::Json => Some("json"),
        FleetFormat::Csv => Some("csv"),
        FleetFormat::Html => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: FleetArgs,
    }

    #[test]
    fn what_is_asked_for_is_an_argument_of_its_own() {
        let words =
            ["fleet", "--sql", "select '; rm'", "--json", "--inventory=-i", "--", "-p", "a b"];
        let args = Line::try_parse_from(words).map(|it| it.args).expect("arguments");
        let query = args.sql.clone().expect("a query");
        let command = command(&args, &query, format(args.format).expect("no page"));
        let given: Vec<_> = command.get_args().map(|it| it.to_string_lossy()).collect();
        assert_eq!(given[..2], ["-I", "-c"]);
        let expected =
            ["--format", "json", "--inventory=-i", "--sql=select '; rm'", "--", "-p", "a b"];
        assert_eq!(given[3..], expected);
        assert_eq!(command.get_program(), "python3");
    }
}
