//! What each game provides for learners. README.md documents the encodings, which are stable.

use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::AgentProvider;
use dice_of_doom_core::search::{PositionEvaluator, SearchResult, StopToken};
use dice_of_doom_formats::GameFormat;
use dice_of_doom_games::dice_of_doom::{self as dice, Action, DiceOfDoom, Outcome, nnue};
use dice_of_doom_games::trilobite::{self, Column, Trilobite, evaluator::ThreatEvaluator};

use crate::ForGame;
use crate::position::{At, Position};

/// The greatest depth of [`LearnableGame::rate`], in plies.
const MAX_DEPTH: u32 = 12;

/// A game with numbered actions and observations.
pub(crate) trait LearnableGame: GameFormat + AgentProvider + PartialEq {
    type Evaluator: PositionEvaluator<Self>;

    /// What evaluates positions.
    const EVALUATOR: Self::Evaluator;

    /// The position, if it is of this game.
    fn typed(position: &Position) -> Option<&At<Self>>;

    fn untyped(at: At<Self>) -> Position;

    /// The number of actions, legal or not.
    fn action_count(&self) -> usize;

    fn encode(&self, action: Self::Action) -> usize;

    /// The action with this number, which need not be legal; `None` if no position of this board can have it.
    fn decode(&self, number: usize) -> Option<Self::Action>;

    /// Planes, rows, columns.
    fn observation_shape(&self) -> [usize; 3];

    /// Writes the observation of the player to move over a slice of its length.
    fn observe(&self, position: &Self::Position, observation: &mut [u8]);

    /// 0 for the only outcome, 1 for success, 2 for failure.
    fn outcome_number(outcome: Self::Outcome) -> u8;

    /// Runs a search of the engine.
    fn rate(
        &self,
        position: &Self::Position,
        search: &str,
        depth: Option<u32>,
        max_nodes: u64,
        stop: &StopToken,
    ) -> Result<SearchResult<Self::Action>, String>;

    /// The legal action with this number.
    fn legal(&self, position: &Self::Position, number: i64) -> Result<Self::Action, String> {
        let action = usize::try_from(number)
            .ok()
            .and_then(|number| self.decode(number));
        let action = action.ok_or_else(|| format!("there is no action {number}"))?;
        match self.check_action(position, action) {
            Ok(()) => Ok(action),
            Err(why) => Err(format!("action {number} ({action}) is not legal: {why}")),
        }
    }

    /// Marks the legal actions in a slice with a place for each action.
    fn mark_legal(&self, position: &Self::Position, mask: &mut [bool]) {
        mask.fill(false);
        for action in self.legal_actions(position) {
            mask[self.encode(action)] = true;
        }
    }
}

fn depth(depth: Option<u32>) -> Result<u32, String> {
    match depth {
        Some(depth) if (1..=MAX_DEPTH).contains(&depth) => Ok(depth),
        Some(depth) => Err(format!("depth is 1 to {MAX_DEPTH}, not {depth}")),
        None => Err("this search needs a depth".to_owned()),
    }
}

fn too_large(max_nodes: u64) -> String {
    format!("the search would visit more than {max_nodes} positions")
}

fn no_search(search: &str, known: &str) -> String {
    format!("there is no search called {search:?}; there are {known}")
}

/// The number of directions to neighbours.
const DIRECTIONS: usize = 6;

/// The distance to the neighbour in each direction, in the book's order.
fn distances(game: &DiceOfDoom) -> [i16; DIRECTIONS] {
    let side = i16::from(game.side());
    [-side, side, -side - 1, -1, 1, side + 1]
}

/// The planes of an observation after those of the players.
const CONSTANT_PLANES: usize = 3;

/// 1 in each byte of a word.
const ONES: u64 = u64::MAX / 255;

/// The bits of a set as bytes 0 or 1, eight to a word, lowest first.
#[inline]
fn spread(set: u64) -> [u64; 8] {
    /// Bit i in byte i.
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    set.to_le_bytes().map(|bits| {
        let selected = (u64::from(bits) * ONES) & DIAGONAL;
        // The top bit of each byte that is not 0.
        ((selected + ONES * 0x7f) | selected) >> 7 & ONES
    })
}

impl LearnableGame for DiceOfDoom {
    type Evaluator = nnue::builtin::NnueEvaluator;

    const EVALUATOR: Self::Evaluator = nnue::builtin::NnueEvaluator;

    fn typed(position: &Position) -> Option<&At<Self>> {
        match &position.0 {
            ForGame::Dice(at) => Some(at),
            ForGame::Trilobite(_) => None,
        }
    }

    fn untyped(at: At<Self>) -> Position {
        Position(ForGame::Dice(at))
    }

    fn action_count(&self) -> usize {
        1 + DIRECTIONS * usize::from(self.hexes())
    }

    #[inline]
    fn encode(&self, action: Action) -> usize {
        let Action::Attack { from, to } = action else {
            return 0;
        };
        let (side, distance) = (
            i16::from(self.side()),
            i16::from(to.number()) - i16::from(from.number()),
        );
        let direction = match distance {
            -1 => 3,
            1 => 4,
            _ if distance == -side => 0,
            _ if distance == side => 1,
            _ if distance < 0 => 2,
            _ => 5,
        };
        1 + DIRECTIONS * usize::from(from.number()) + direction
    }

    #[inline]
    fn decode(&self, number: usize) -> Option<Action> {
        let Some(number) = number.checked_sub(1) else {
            return Some(Action::EndTurn);
        };
        let from = self.hex(u8::try_from(number / DIRECTIONS).ok()?)?;
        let to = i16::from(from.number()) + distances(self)[number % DIRECTIONS];
        let to = self.hex(u8::try_from(to).ok()?)?;
        Some(Action::Attack { from, to })
    }

    fn observation_shape(&self) -> [usize; 3] {
        let side = usize::from(self.side());
        [
            usize::from(Game::players(self)) + CONSTANT_PLANES,
            side,
            side,
        ]
    }

    #[inline]
    fn observe(&self, position: &dice::Position, observation: &mut [u8]) {
        let (players, hexes) = (Game::players(self), usize::from(self.hexes()));
        let (owned, constant) = observation.split_at_mut(hexes * usize::from(players));
        let mut dice = [ONES; 8];
        let dice = &mut dice[..hexes.div_ceil(8)];
        for &set in position.hexes_by_dice(self.max_dice()) {
            for (dice, more) in dice.iter_mut().zip(spread(set)) {
                *dice += more;
            }
        }
        let mut player = position.player();
        for plane in owned.chunks_exact_mut(hexes) {
            let own = spread(position.hexes_of(player));
            // 0 or 255 in each byte selects the dice.
            for ((plane, own), dice) in plane.chunks_mut(8).zip(own).zip(&*dice) {
                let bytes = ((own * 0xff) & dice).to_le_bytes();
                plane.copy_from_slice(&bytes[..plane.len()]);
            }
            player = player.next(players);
        }
        let spare = u8::try_from(position.spare()).unwrap_or(u8::MAX);
        let values = [position.first_move().into(), spare, position.quiet()];
        for (plane, value) in constant.chunks_exact_mut(hexes).zip(values) {
            plane.fill(value);
        }
    }

    fn outcome_number(outcome: Outcome) -> u8 {
        match outcome {
            Outcome::Certain => 0,
            Outcome::Won => 1,
            Outcome::Lost => 2,
        }
    }

    fn rate(
        &self,
        position: &dice::Position,
        search: &str,
        plies: Option<u32>,
        max_nodes: u64,
        stop: &StopToken,
    ) -> Result<SearchResult<Action>, String> {
        use dice::land_of_lisp::{self, BookSearch};
        let kind = match search {
            "book" => BookSearch::Book,
            "expectimax" => BookSearch::Expectimax,
            "alphabeta" if self.rules().is_rolled() => {
                return Err("alphabeta is for v1, v2 and v3, where nothing is rolled".to_owned());
            }
            "alphabeta" => BookSearch::AlphaBeta,
            _ => return Err(no_search(search, "book, expectimax and alphabeta")),
        };
        let plies = match plies {
            None if kind == BookSearch::Book => land_of_lisp::depth(self.rules()),
            plies => depth(plies)?,
        };
        let found =
            land_of_lisp::search_bounded(self, position, kind, plies, stop.budget(max_nodes));
        found.ok_or_else(|| too_large(max_nodes))
    }
}

impl LearnableGame for Trilobite {
    type Evaluator = ThreatEvaluator;

    const EVALUATOR: ThreatEvaluator = ThreatEvaluator;

    fn typed(position: &Position) -> Option<&At<Self>> {
        match &position.0 {
            ForGame::Trilobite(at) => Some(at),
            ForGame::Dice(_) => None,
        }
    }

    fn untyped(at: At<Self>) -> Position {
        Position(ForGame::Trilobite(at))
    }

    fn action_count(&self) -> usize {
        self.width().into()
    }

    #[inline]
    fn encode(&self, column: Column) -> usize {
        column.number().into()
    }

    #[inline]
    fn decode(&self, number: usize) -> Option<Column> {
        self.column(u8::try_from(number).ok()?)
    }

    fn observation_shape(&self) -> [usize; 3] {
        [2, self.height().into(), self.width().into()]
    }

    #[inline]
    fn observe(&self, position: &trilobite::Position, observation: &mut [u8]) {
        let (own, other) = observation.split_at_mut(self.cells().into());
        for ((cell, own), other) in (0..).zip(own).zip(other) {
            let chip = self.chip(position, cell);
            *own = (chip == Some(position.player())).into();
            *other = chip
                .is_some_and(|player| player != position.player())
                .into();
        }
    }

    fn outcome_number((): ()) -> u8 {
        0
    }

    fn rate(
        &self,
        position: &trilobite::Position,
        search: &str,
        plies: Option<u32>,
        max_nodes: u64,
        stop: &StopToken,
    ) -> Result<SearchResult<Column>, String> {
        use trilobite::land_of_lisp;
        match search {
            "book" => Ok(land_of_lisp::analyse(self, position)),
            "minimax" => land_of_lisp::minimax(self, position, stop.budget(max_nodes))
                .map_err(|_| too_large(max_nodes)),
            "alphabeta" => land_of_lisp::alpha_beta_bounded(
                self,
                position,
                depth(plies)?,
                stop.budget(max_nodes),
            )
            .ok_or_else(|| too_large(max_nodes)),
            _ => Err(no_search(search, "book, minimax and alphabeta")),
        }
    }
}

/// A token that never stops a search.
pub(crate) fn unstopped() -> StopToken {
    StopToken::new()
}
