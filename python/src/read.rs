//! From inputs to rows and answers: the one place that knows the crates that do it.
use crate::{
    error::Error,
    progress::Progress,
    source::Source,
    stream::{OnBatch, Work},
};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::{path::Path, sync::Arc};

/// What rows are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Pauses,
    Hours,
    Stalls,
}

impl Table {
    pub(crate) fn named(name: &str) -> Option<Table> {
        Some(match name {
            "pauses" => Table::Pauses,
            "hours" => Table::Hours,
            "stalls" => Table::Stalls,
            _ => return None,
        })
    }
    pub(crate) fn schema(self) -> SchemaRef {
        let fields = vec![
            Field::new("source", DataType::Utf8, false),
            Field::new("n", DataType::UInt64, false),
        ];
        let meta = [("whypause.schema_version".to_owned(), "1".to_owned())].into();
        Arc::new(Schema::new_with_metadata(fields, meta))
    }
}

/// What is known of the inputs beside them.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub(crate) host: Option<String>,
    pub(crate) cluster: Option<String>,
    pub(crate) labels: Vec<(String, String)>,
}

/// What is read, of which each piece is read by one thread.
#[derive(Debug)]
pub(crate) struct Inputs {
    table: Table,
    source: Source,
    about: About,
    skip: bool,
    failed: Vec<(String, Error)>,
    size: Option<u64>,
}

impl Inputs {
    pub(crate) fn find(
        table: Table,
        source: Source,
        about: About,
        skip: bool,
    ) -> Result<Inputs, Error> {
        let mut size = None;
        if let Source::Paths(paths) = &source {
            let mut sum = 0;
            for path in paths {
                sum += std::fs::metadata(path)
                    .map_err(|e| Error::new(format!("`{}`: {e}", path.display()), "name a log"))?
                    .len();
            }
            size = Some(sum);
        }
        Ok(Inputs { table, source, about, skip, failed: vec![], size })
    }

    /// Of a reading that is to begin.
    pub(crate) fn progress(&self) -> Progress {
        Progress::new(self.size, self.failed.clone())
    }
}

/// One reading of them.
pub(crate) struct Run {
    pub(crate) inputs: Arc<Inputs>,
    pub(crate) progress: Arc<Progress>,
}

impl Work for Run {
    fn count(&self) -> usize {
        match &self.inputs.source {
            Source::Paths(p) => p.len(),
            _ => 1,
        }
    }
    fn run(&self, index: usize, on_batch: OnBatch<'_>) -> Result<(), Error> {
        let (name, bytes) = match &self.inputs.source {
            Source::Paths(p) => (
                p[index].display().to_string(),
                std::fs::read(&p[index]).map_err(|e| Error::new(e.to_string(), ""))?,
            ),
            other => {
                let (mut r, name) = other.reader().expect("no paths");
                let mut v = Vec::new();
                r.read_to_end(&mut v).map_err(|e| Error::new(e.to_string(), ""))?;
                (name.to_owned(), v)
            }
        };
        self.progress.add(bytes.len() as u64);
        if bytes.is_empty() {
            let e = Error::new(format!("`{name}` is empty"), "give a log");
            self.progress.fail(index, name, e.clone());
            return if self.inputs.skip { Ok(()) } else { Err(e) };
        }
        let _ = &self.inputs.about;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(vec![name])),
            Arc::new(UInt64Array::from(vec![bytes.len() as u64])),
        ];
        let _ = on_batch(
            RecordBatch::try_new(self.inputs.table.schema(), columns)
                .expect("the schema is of these"),
        );
        Ok(())
    }
    fn end(&self) {
        self.progress.end();
    }
}

/// The JSON document of the program about one input.
pub(crate) fn explain(path: &Path) -> Result<String, Error> {
    Err(Error::new(format!("`{}`: not yet", path.display()), ""))
}
