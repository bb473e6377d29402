//! The engine's searches for Trilobite.

use crate::game_adapters::engine::{EngineAdapter, RateError, SearchRequest};
use crate::games::trilobite::{Column, Position, Trilobite, land_of_lisp};
use crate::search::SearchResult;

impl EngineAdapter for Trilobite {
    const MAX_SEARCH_PLIES: u32 = 128;

    fn run_search(
        &self,
        position: &Position,
        request: &SearchRequest<'_>,
    ) -> Result<SearchResult<Column>, RateError> {
        match request.search {
            "minimax" => {
                let analysis = land_of_lisp::minimax(self, position, request.budget());
                let instead = "alphabeta looks as far ahead as `depth` says";
                analysis.map_err(|_| RateError::WholeTreeTooLarge(instead))
            }
            "alphabeta" => {
                let plies = request.required_depth(Self::MAX_SEARCH_PLIES)?;
                let analysis =
                    land_of_lisp::alpha_beta_bounded(self, position, plies, request.budget());
                analysis.ok_or(RateError::TooLarge)
            }
            _ => Err(RateError::unsupported_search("minimax and alphabeta")),
        }
    }
}
