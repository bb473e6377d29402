//! The command `engine`.

use clap::Args;

use super::WeightsArgs;
use super::value_parser::ListedValueParser;
use crate::engine::RequestLimits;
use crate::level::Level;

pub(super) const EXAMPLES: &str = r#"Examples of requests:
  {"id":1,"op":"new","game":"dice","rules":"v4","size":5,"players":4,"max_dice":5,"seed":7}
  {"id":2,"op":"moves","position":{"game":"trilobite","width":7,"height":6,"win":4,"columns":"4455"}}
  {"id":3,"op":"levels","game":"dice"}
  {"id":4,"op":"choose","level":"champion","budget_ms":60000,"lines":3,"info":true,"position":"trilobite.4.4.3.0000000000000000.1"}
  {"id":5,"op":"stop"}

docs/engine.md describes the ops and has a bot in Python."#;

#[derive(Args, Clone, Debug)]
pub struct EngineArgs {
    /// Maximum number of positions that one request may visit; larger requests get the error "too-large"
    #[arg(long, value_name = "N", default_value_t = RequestLimits::default().nodes,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub limit_nodes: u64,

    /// Maximum size in MiB of the table of the op "solve"
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub table_mib: u32,

    /// The level for requests with the op "choose" that name no level
    #[arg(long = "as", value_name = "LEVEL", default_value_t = Level::Book,
          value_parser = ListedValueParser::new(Level::names(), str::parse::<Level>))]
    pub level: Level,

    #[command(flatten)]
    pub weights: WeightsArgs,
}

impl EngineArgs {
    #[must_use]
    pub const fn limits(&self) -> RequestLimits {
        RequestLimits {
            table_bytes: (self.table_mib as usize) << 20,
            ..RequestLimits::with_nodes(self.limit_nodes)
        }
    }
}
