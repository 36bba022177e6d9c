//! `fleet-data`: writes the data of a made-up fleet, with known faults in it.
use anyhow::Result;
use clap::Parser;
use fleet_data::{Options, amount};
use std::{
    io::{IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

/// Makes the logs and recordings of a fleet of hosts, with three faults in it that are written down in `truth.json`.
///
/// All of it is made of real logs and real recordings (`testdata/`), and is the same for the same seed.
#[derive(Debug, Parser)]
#[command(after_help = FILES_AND_EXAMPLES)]
struct Arguments {
    /// Directory to make; must not exist
    directory: PathBuf,
    /// Number of hosts
    #[arg(long, default_value_t = 200, value_name = "NUMBER")]
    hosts: usize,
    /// Bytes of all logs together, as text
    #[arg(long, default_value = "1G", value_name = "BYTES", value_parser = amount::bytes)]
    log_bytes: u64,
    /// Number of recordings, for all hosts together
    #[arg(long, default_value_t = 2000, value_name = "NUMBER")]
    recordings: u64,
    /// Share of the files of which there is a damaged copy below `damaged/`
    #[arg(long, default_value = "0%", value_name = "SHARE", value_parser = amount::share)]
    damage: u64,
    /// Bytes of the line that is too long, in a damaged log
    #[arg(long, default_value = "100M", value_name = "BYTES", value_parser = amount::bytes)]
    long_line: u64,
    /// What all that looks random depends on
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Where the real logs and recordings are
    #[arg(long, default_value_os_t = fleet_data::testdata(), value_name = "DIR")]
    testdata: PathBuf,
}

/// What is behind the options in the help.
const FILES_AND_EXAMPLES: &str = "\
Files:
  hosts.csv         a row for each host: host,cluster,kernel,deploy,rack
  logs/host=NAME/   its GC log of seven days: gc.log, gc.log.gz, or gc.log.0 and so on
  kept/host=NAME/   its recordings, each of the longest stop in it
  damaged/          damaged copies of some logs and recordings
  truth.json        the three faults and their hosts, the cause of each recording

Examples:
  fleet-data --damage 1% /var/tmp/fleet
  fleet-data --hosts 12 --log-bytes 4M --recordings 24 /tmp/small
  whypause explain /tmp/small/logs/host=node-001";

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}\n"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
    let options = Options {
        directory: arguments.directory,
        hosts: arguments.hosts,
        log_bytes: arguments.log_bytes,
        recordings: arguments.recordings,
        damage_millionths: arguments.damage,
        long_line_bytes: arguments.long_line,
        seed: arguments.seed,
        testdata: arguments.testdata,
    };
    let shows_progress = std::io::stderr().is_terminal();
    let hosts = options.hosts;
    let written = fleet_data::make(&options, &|done| {
        if shows_progress {
            say(&format!("\r{done} of {hosts} hosts"));
        } else if done % (hosts / 10).max(1) == 0 {
            say(&format!("{done} of {hosts} hosts\n"));
        }
    })?;
    let begin = if shows_progress { "\r" } else { "" };
    say(&format!(
        "{begin}{} hosts, {} bytes of logs, {} recordings, {} damaged copies in {}\n",
        hosts,
        written.log_bytes,
        written.recordings,
        written.damaged,
        options.directory.display()
    ));
    Ok(())
}

/// Writes to standard error; where that is closed, there is no one to report it to.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
