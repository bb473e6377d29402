//! Python's dicts from and to JSON.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;

/// A `ValueError` with this text.
pub(crate) fn invalid<E: Display>(why: E) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// The Python objects of a value.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(invalid)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// The value of Python objects, or a `ValueError`.
pub(crate) fn from_python<T: DeserializeOwned>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let json = value.py().import("json")?;
    let text: String = json.call_method1("dumps", (value,))?.extract()?;
    serde_json::from_str(&text).map_err(invalid)
}
