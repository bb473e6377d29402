//! The searches of Trilobite that programs may ask for.

use crate::faces::engine::{SearchRequest, Spoken, Unrated};
use crate::games::trilobite::{Column, Position, Trilobite, book};
use crate::search::Analysis;

impl Spoken for Trilobite {
    const MOST_PLIES: u32 = 128;

    fn rate(
        &self,
        position: &Position,
        asked: &SearchRequest<'_>,
    ) -> Result<Analysis<Column>, Unrated> {
        let most_nodes = asked.most_nodes;
        let analysis = match asked.search {
            "minimax" => book::minimax(self, position, most_nodes).ok(),
            "alphabeta" => {
                let plies = asked.plies(Self::MOST_PLIES)?;
                book::alpha_beta_within(self, position, plies, most_nodes)
            }
            _ => return Err(Unrated::no_such_search("minimax and alphabeta")),
        };
        analysis.ok_or(Unrated::TooLarge)
    }
}
