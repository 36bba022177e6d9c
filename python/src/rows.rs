//! Tables as Arrow streams in capsules, which any library for Arrow takes.
use crate::{
    error::Error,
    progress::Progress,
    read::{self, About, Inputs, Run},
    source::Source,
    stream::Batches,
};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::{SchemaRef, ffi::FFI_ArrowSchema};
use pyo3::{
    Bound, PyAny, PyResult, Python, exceptions::PyValueError, pyclass, pyfunction, pymethods,
    types::PyCapsule,
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread::available_parallelism,
};
use table::Origin;

/// Rows of one table, read anew each time they are taken.
#[pyclass(frozen, module = "whypause._native")]
pub(crate) struct Rows {
    schema: SchemaRef,
    inputs: Arc<Inputs>,
    threads: usize,
    /// Of the reading that began last.
    progress: Mutex<Arc<Progress>>,
}

/// The rows of table `table` of paths, or of bytes or a file object that is called `name`.
#[pyfunction]
#[pyo3(signature = (table, *, paths, content, name, host, cluster, labels, threads, skip, otherwise, instead))]
#[expect(clippy::too_many_arguments, reason = "all have names, and one caller")]
pub(crate) fn rows(
    py: Python<'_>,
    table: &str,
    paths: Vec<PathBuf>,
    content: Option<&Bound<'_, PyAny>>,
    name: String,
    host: Option<String>,
    cluster: Option<String>,
    labels: Vec<(String, String)>,
    threads: Option<usize>,
    skip: Option<bool>,
    otherwise: Option<String>,
    instead: Option<(String, String)>,
) -> PyResult<Rows> {
    let table = read::table_named(table)
        .ok_or_else(|| PyValueError::new_err(format!("no table is called `{table}`")))?;
    let source = match content {
        Some(content) => Source::of(content, name)?,
        None => Source::Paths(paths),
    };
    let origin = Origin {
        host: host.unwrap_or_default(),
        cluster,
        labels: labels.into_iter().collect(),
        ..Origin::default()
    };
    let about = About { origin, otherwise, skip, instead };
    let threads = threads.unwrap_or_else(|| available_parallelism().map_or(1, Into::into));
    let inputs = py.detach(|| Inputs::find(table, source, about))?;
    let progress = Mutex::new(Arc::new(inputs.progress()));
    Ok(Rows { schema: table.schema(), inputs: Arc::new(inputs), threads, progress })
}

#[pymethods]
impl Rows {
    /// A capsule of the stream of batches.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Another form of the columns may be refused, and what takes the stream then casts it.
        let _ = requested_schema;
        let progress = Arc::new(self.inputs.progress());
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress.clone();
        let run = Arc::new(Run { inputs: self.inputs.clone(), progress });
        let batches = Batches::new(self.schema.clone(), run, self.threads);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// A capsule of the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref());
        let schema = schema.map_err(|error| Error::new(error.to_string(), ""))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// What the schema says of itself under this key.
    fn metadata(&self, key: &str) -> Option<&str> {
        self.schema.metadata.get(key).map(String::as_str)
    }

    /// Of the reading that began last: bytes read, all bytes where that is known, and whether it is over.
    fn progress(&self) -> (u64, Option<u64>, bool) {
        self.last().state()
    }

    /// What of the reading that began last could not be read so far: name, message and hint of each, in the
    /// order of the inputs.
    fn failed(&self) -> Vec<(String, String, String)> {
        let failed = self.last().failed();
        failed.into_iter().map(|(name, error)| (name, error.message, error.hint)).collect()
    }
}

impl Rows {
    fn last(&self) -> Arc<Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The answer about one input: the JSON document of `whypause explain --format json`.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    Ok(py.detach(|| read::explain(&path))?)
}
