//! The command `rate`.

use std::num::NonZeroU64;

use clap::Args;

use super::WeightsArgs;
use super::value_parser::ListedValueParser;
use crate::level::Level;

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom rate < positions.txt
  dice-of-doom rate --level champion --nodes 20000 --lines 5 < positions.txt | jq .ok.win";

#[derive(Args, Clone, Debug)]
pub struct RateArgs {
    /// The level that rates the positions
    #[arg(long, value_name = "LEVEL", default_value_t = Level::Master,
          value_parser = ListedValueParser::new(Level::names(), str::parse::<Level>))]
    pub level: Level,

    /// Simulations per position [default: the level's own]
    #[arg(long, value_name = "N")]
    pub nodes: Option<NonZeroU64>,

    /// Number of best actions to report
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub lines: u32,

    /// Random seed for the choice between equal actions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    pub weights: WeightsArgs,
}

impl RateArgs {
    /// The engine request for the position on a line, with the line number as its id; `None` for an empty line or a
    /// comment.
    #[must_use]
    pub fn request(&self, number: u64, line: &str) -> Option<String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let RateArgs {
            level, lines, seed, ..
        } = self;
        let position = match line.starts_with('{') {
            true => line.to_owned(),
            false => serde_json::Value::from(line).to_string(),
        };
        let nodes = self
            .nodes
            .map_or(String::new(), |nodes| format!(r#","nodes":{nodes}"#));
        Some(format!(
            r#"{{"id":{number},"op":"choose","level":"{level}","seed":{seed},"lines":{lines}{nodes},"position":{position}}}"#
        ))
    }
}
