//! The file, or the files, of a log.
use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use serde::Serialize;
use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

/// How a log is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// `gc.log`
    Plain,
    /// `gc.log.gz`
    Gzip,
    /// `gc.log.0` and so on, and `gc.log`, which is the last one.
    Rotated,
}

/// How many files a rotated log is.
const ROTATED_FILES: u64 = 4;
const NAME: &str = "gc.log";

/// A log that is being written.
#[derive(Debug)]
pub(crate) struct LogFile {
    directory: PathBuf,
    output: Output,
    /// Of a rotated log: the bytes of one file, and how many were full.
    rotate_bytes: Option<u64>,
    full: u32,
    file_bytes: u64,
    bytes: u64,
}

#[derive(Debug)]
enum Output {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
}

impl LogFile {
    /// Begins one in a directory, which is to take this many bytes.
    pub(crate) fn create(directory: &Path, form: Form, bytes: u64) -> Result<LogFile> {
        let output = match form {
            Form::Plain | Form::Rotated => Output::Plain(create(&directory.join(NAME))?),
            Form::Gzip => {
                let file = create(&directory.join(format!("{NAME}.gz")))?;
                Output::Gzip(Box::new(GzEncoder::new(file, Compression::fast())))
            }
        };
        let rotate_bytes = (form == Form::Rotated).then_some(bytes / ROTATED_FILES + 1);
        Ok(LogFile {
            directory: directory.into(),
            output,
            rotate_bytes,
            full: 0,
            file_bytes: 0,
            bytes: 0,
        })
    }

    /// Bytes of text so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds whole lines.
    pub(crate) fn write(&mut self, text: &[u8]) -> Result<()> {
        if self.rotate_bytes.is_some_and(|most| self.file_bytes >= most) {
            self.rotate()?;
        }
        match &mut self.output {
            Output::Plain(file) => file.write_all(text),
            Output::Gzip(file) => file.write_all(text),
        }
        .with_context(|| format!("cannot write to `{}`", self.directory.display()))?;
        self.file_bytes += text.len() as u64;
        self.bytes += text.len() as u64;
        Ok(())
    }

    /// As the JVM does it: the full file gets a number, and the next one its name.
    fn rotate(&mut self) -> Result<()> {
        let (path, full) = (self.directory.join(NAME), format!("{NAME}.{}", self.full));
        if let Output::Plain(file) = &mut self.output {
            file.flush().with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        fs::rename(&path, self.directory.join(full))
            .with_context(|| format!("cannot rename `{}`", path.display()))?;
        self.output = Output::Plain(create(&path)?);
        self.full += 1;
        self.file_bytes = 0;
        Ok(())
    }

    /// Writes what is left. The file that the log ends with.
    pub(crate) fn finish(self) -> Result<PathBuf> {
        let (name, ended) = match self.output {
            Output::Plain(mut file) => (NAME.to_owned(), file.flush()),
            Output::Gzip(file) => {
                (format!("{NAME}.gz"), file.finish().and_then(|mut file| file.flush()))
            }
        };
        let path = self.directory.join(name);
        ended.with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(path)
    }
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create_new(path);
    let file = file.with_context(|| format!("cannot create `{}`", path.display()))?;
    Ok(BufWriter::with_capacity(1 << 18, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    fn written(form: Form) -> Vec<(String, String)> {
        let directory = tempfile::tempdir().expect("a directory");
        let mut log = LogFile::create(directory.path(), form, 12).expect("a log");
        for line in ["one\n", "two\n", "six\n", "ten\n"] {
            log.write(line.as_bytes()).expect("written");
        }
        log.finish().expect("finished");
        let each = fs::read_dir(directory.path()).expect("listed").map(|it| {
            let it = it.expect("an entry");
            let (bytes, mut text) = (fs::read(it.path()).expect("read"), String::new());
            match form {
                Form::Gzip => GzDecoder::new(&*bytes).read_to_string(&mut text),
                _ => bytes.as_slice().read_to_string(&mut text),
            }
            .expect("text");
            (it.file_name().to_string_lossy().into_owned(), text)
        });
        let mut files: Vec<_> = each.collect();
        files.sort();
        files
    }

    #[test]
    fn a_log_is_one_file_or_some() {
        let all = "one\ntwo\nsix\nten\n".to_owned();
        assert_eq!(written(Form::Plain), [("gc.log".into(), all.clone())]);
        assert_eq!(written(Form::Gzip), [("gc.log.gz".into(), all)]);
        let rotated = [("gc.log", "ten\n"), ("gc.log.0", "one\n"), ("gc.log.1", "two\n")];
        let six = [("gc.log.2", "six\n")];
        let wanted: Vec<_> =
            rotated.iter().chain(&six).map(|it| (it.0.into(), it.1.into())).collect();
        assert_eq!(written(Form::Rotated), wanted);
    }
}
