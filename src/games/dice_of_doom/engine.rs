//! The engine's searches for Dice of Doom.

use crate::games::engine::{EngineAdapter, RateError, SearchRequest};
use crate::search::SearchResult;
use dice_of_doom_games::dice_of_doom::land_of_lisp::{self, BookSearch};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position};

impl EngineAdapter for DiceOfDoom {
    const MAX_SEARCH_PLIES: u32 = 12;

    fn run_search(
        &self,
        position: &Position,
        request: &SearchRequest<'_>,
    ) -> Result<SearchResult<Action>, RateError> {
        let search = match request.search {
            "book" => BookSearch::Book,
            "expectimax" => BookSearch::Expectimax,
            "alphabeta" if self.rules().is_rolled() => {
                let message = "alphabeta is for v1, v2 and v3, where nothing is rolled";
                return Err(RateError::Unsupported(message.to_owned()));
            }
            "alphabeta" => BookSearch::AlphaBeta,
            _ => {
                return Err(RateError::unsupported_search(
                    "book, expectimax and alphabeta",
                ));
            }
        };
        let plies = request.required_depth(Self::MAX_SEARCH_PLIES)?;
        let analysis =
            land_of_lisp::search_bounded(self, position, search, plies, request.budget());
        analysis.ok_or(RateError::TooLarge)
    }
}
