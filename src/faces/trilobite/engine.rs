//! The searches of Trilobite that programs may ask for.

use std::cell::Cell;

use crate::faces::engine::{SearchRequest, Spoken, Unrated};
use crate::games::trilobite::evaluate::OpenLines;
use crate::games::trilobite::{Column, Position, Trilobite, book};
use crate::search::{Analysis, alpha_beta};
use crate::tree::{GameTree, Metered, Unfold};

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
                let budget = Cell::new(most_nodes);
                let tree = Metered::new(Unfold::new(self, *position), &budget);
                let cut = tree.clone().limit(plies);
                let analysis = alpha_beta(&cut, &OpenLines, position.player());
                (!tree.is_exhausted()).then_some(analysis)
            }
            _ => return Err(Unrated::no_such_search("minimax and alphabeta")),
        };
        analysis.ok_or(Unrated::TooLarge)
    }
}
