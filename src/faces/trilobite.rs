//! The faces of Trilobite.

pub mod json;
