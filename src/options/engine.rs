//! The command `engine`.

use clap::Args;

use crate::engine::RequestLimits;

pub(super) const EXAMPLES: &str = r#"Examples of requests:
  {"id":1,"op":"new","game":"dice","rules":"v4","size":5,"players":4,"max_dice":5,"seed":7}
  {"id":2,"op":"moves","position":{"game":"trilobite","width":7,"height":6,"win":4,"columns":"4455"}}
  {"id":3,"op":"levels","game":"dice"}

README.md has a table of the ops and a bot in Python."#;

/// How to answer programs.
#[derive(Args, Clone, Copy, Debug)]
pub struct Engine {
    /// Positions that one request may look at; beyond them it is answered "too-large"
    #[arg(long, value_name = "N", default_value_t = RequestLimits::default().nodes,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub limit_nodes: u64,
}

impl Engine {
    /// What a request may cost.
    #[must_use]
    pub const fn limits(&self) -> RequestLimits {
        RequestLimits {
            nodes: self.limit_nodes,
        }
    }
}
