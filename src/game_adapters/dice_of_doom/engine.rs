//! The searches of Dice of Doom that programs may ask for.

use crate::game_adapters::engine::{SearchRequest, Spoken, Unrated};
use crate::games::dice_of_doom::land_of_lisp::{self, Search};
use crate::games::dice_of_doom::{Action, DiceOfDoom, Position};
use crate::search::Analysis;

impl Spoken for DiceOfDoom {
    const MOST_PLIES: u32 = 12;

    fn rate(
        &self,
        position: &Position,
        asked: &SearchRequest<'_>,
    ) -> Result<Analysis<Action>, Unrated> {
        let search = match asked.search {
            "book" => Search::Book,
            "expectimax" => Search::Expectimax,
            "alphabeta" if self.rules().is_rolled() => {
                let sentence = "alphabeta is for v1, v2 and v3, where nothing is rolled";
                return Err(Unrated::Unsupported(sentence.to_owned()));
            }
            "alphabeta" => Search::AlphaBeta,
            _ => return Err(Unrated::no_such_search("book, expectimax and alphabeta")),
        };
        let plies = asked.plies(Self::MOST_PLIES)?;
        let analysis = land_of_lisp::within(self, position, search, plies, asked.budget());
        analysis.ok_or(Unrated::TooLarge)
    }
}
