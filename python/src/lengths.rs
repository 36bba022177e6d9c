//! Lengths of pauses in hours: merged and asked.
use crate::error::Error;
use pyo3::types::PyAnyMethods;
use pyo3::{Bound, PyAny, PyResult, Python, pybacked::PyBackedBytes, pyfunction, types::PyBytes};
use table::Lengths;

fn read(bytes: &[u8]) -> Result<Lengths, Error> {
    Lengths::from_bytes(bytes).map_err(|error| {
        Error::new(error.to_string(), "give the column `lengths` of the table `hours`")
    })
}

/// One histogram of all that the iterable has; of none an empty one.
#[pyfunction]
pub(crate) fn merge_hours<'py>(
    py: Python<'py>,
    histograms: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut all = Lengths::default();
    for one in histograms.try_iter()? {
        let one: PyBackedBytes = one?.extract()?;
        let one = py.detach(|| read(&one))?;
        all.merge(&one);
    }
    Ok(PyBytes::new(py, &py.detach(|| all.to_bytes())))
}

/// What the names of all files of a rotated log have in common.
#[pyfunction]
pub(crate) fn log_stem(file_name: &str) -> String {
    logset::stem(file_name)
}

/// The length that this share of the pauses does not exceed, in nanoseconds.
#[pyfunction]
pub(crate) fn quantile_ns(py: Python<'_>, histogram: PyBackedBytes, q: f64) -> PyResult<u64> {
    if !(0.0..=1.0).contains(&q) {
        return Err(
            Error::new(format!("`{q}` is no share"), "give one from 0 to 1, as 0.999").into()
        );
    }
    Ok(py.detach(|| read(&histogram).map(|it| it.quantile_ns(q)))?)
}
