//! One table with the pauses of all inputs.
use super::{Read, diagnose, enough, input, input::Input};
use crate::{Failure, console::Console};
use diagnose::{Attribution, Diagnosis, Keep};
use recording::Clock;
use report::{Redactor, csv};
use std::{
    io::{self, BufWriter, StdoutLock, Write},
    ops::ControlFlow::{Break, Continue},
};

/// Writes them with one header; of several inputs each row begins with the name of its input.
pub(super) fn write(
    inputs: &[Input],
    redactor: &mut Redactor,
    console: &Console,
) -> Result<(), Failure> {
    let out = BufWriter::new(io::stdout().lock());
    let mut table = Table { out, of_several: inputs.len() > 1, has_header: false };
    for input in inputs {
        let diagnosis = table.add(input, redactor, console)?;
        table.header()?;
        table.out.flush()?;
        enough(&diagnosis)?;
    }
    Ok(())
}

struct Table {
    out: BufWriter<StdoutLock<'static>>,
    of_several: bool,
    has_header: bool,
}

impl Table {
    /// Writes the header where it is not there yet: of an input that cannot be read nothing is written.
    fn header(&mut self) -> io::Result<()> {
        if !self.has_header {
            self.has_header = true;
            csv::write_header(self.of_several, &mut self.out)?;
        }
        Ok(())
    }

    fn row(&mut self, name: &str, pause: &Attribution, clock: Clock) -> io::Result<()> {
        self.header()?;
        csv::write_row(self.of_several.then_some(name), pause, clock, &mut self.out)
    }

    /// Writes a log's pauses while it is read, so that they need no memory.
    fn add(
        &mut self,
        input: &Input,
        redactor: &mut Redactor,
        console: &Console,
    ) -> Result<Diagnosis, Failure> {
        let name = input::name(input, redactor);
        let Input::Log(set) = input else {
            let Read { diagnosis, .. } = diagnose(input, redactor, console)?;
            for pause in &diagnosis.pauses {
                self.row(&name, pause, diagnosis.clock)?;
            }
            return Ok(diagnosis);
        };
        let mut written = Ok(());
        let mut row = |pause: &Attribution, clock: Clock| {
            written = self.row(&name, pause, clock);
            if written.is_ok() { Continue(()) } else { Break(()) }
        };
        let keep = Keep::Longest(0);
        let read = input::read_log(set, &name, keep, &mut row, redactor, console)?;
        written?;
        Ok(read.diagnosis)
    }
}
