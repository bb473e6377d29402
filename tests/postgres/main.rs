//! Tests that need PostgreSQL, and those with a balancer, whose servers share a PostgreSQL database.
//!
//! With `DOD_NO_POSTGRES=1` they are left out, but for the contract of archives, which other archives keep, too.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../common/balanced.rs"]
mod balanced;
#[path = "../common/bots.rs"]
mod bots;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/cut.rs"]
mod cut;
#[path = "../common/postgres.rs"]
mod server;

mod balancer;
mod database;
mod instances;
mod maintenance;
mod operations;
mod store;
mod turns;
