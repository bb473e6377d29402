//! Connections to either database, the statements that they write differently, and rows.

pub(super) mod connection;
pub(super) mod row;
pub(super) mod statements;
