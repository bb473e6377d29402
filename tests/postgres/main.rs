//! Tests that need PostgreSQL, also with a load balancer in front of servers that share a database.
//!
//! With `DOD_NO_POSTGRES=1` they are skipped, except for the store contract tests on the other stores.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../common/balanced.rs"]
mod balanced;
#[path = "../common/bots.rs"]
mod bots;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/cut_proxy.rs"]
mod cut_proxy;
#[path = "../common/postgres.rs"]
mod server;

mod balancer;
mod daily;
mod database;
mod instances;
mod maintenance;
mod operations;
mod store;
mod tables;
mod turns;
