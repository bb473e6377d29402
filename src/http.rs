//! The protocol, without the product: connections, proxies and hosts, checks before the handlers, rate limits, headers,
//! errors, event streams as such, and the files of `static/`.

pub mod assets;
pub mod base_path;
pub mod client;
pub mod connections;
pub mod cors;
pub mod drain;
pub mod encoding;
pub mod error;
pub mod event_stream;
pub mod guard;
pub mod headers;
pub mod hosts;
pub mod problem;
pub mod rate_limit;
pub mod rejection;
pub mod run_to_end;
pub mod site_url;
