//! What SQLite and PostgreSQL share: statements, and the mapping between rows and values.

pub(super) mod decode;
pub(super) mod encode;
pub(super) mod queries;
