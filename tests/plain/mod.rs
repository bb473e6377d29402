//! Dice of Doom as it was before boards were packed: the oracle of `tests/packed.rs` and the
//! "before" of `benches/book.rs`.
//!
//! Same rules, other board: neighbours from lists, owners and dice as the binary digits of each
//! hex. It answers in its own types, so nothing of the packed board is asked. Not here: checks of
//! what comes from outside, throws, exact odds.

#![allow(dead_code, reason = "tests and benches use their own parts of this")]

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use dice_of_doom::game::{Game, Payoffs, Player, Players, Status};
use dice_of_doom::games::dice_of_doom::{
    Combat, DiceOfDoom, EndCondition, Outcome, Reinforcement, Rules, Setup, book,
};
use dice_of_doom::search::{Analysis, Evaluate, alpha_beta, expectimax_in};
use dice_of_doom::tree::{GameTree, Unfold};

mod board;
pub(crate) use board::Hex;
use board::{Cells, Map, hexes_of};

/// Turns without an attack after which `conquest` ends, for each player who still owns hexes.
const QUIET_TURNS_A_PLAYER: u32 = 8;

/// The game with its parameters, its odds those that the book's player believes in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    rules: Rules,
    side: u8,
    players: u8,
    max_dice: u8,
}

/// What changes in a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Position {
    cells: Cells,
    pub(crate) spare: u16,
    pub(crate) player: Player,
    pub(crate) quiet: u8,
    pub(crate) first_move: bool,
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |hex| format!("{}-{}", self.owner(hex), self.dice(hex));
        let cells: Vec<String> = (0..64).map(Hex).map(cell).collect();
        f.write_str(&cells.join(" "))
    }
}

impl Position {
    pub(crate) fn owner(&self, hex: Hex) -> Player {
        self.cells.owner(hex)
    }

    pub(crate) fn dice(&self, hex: Hex) -> u8 {
        self.cells.dice(hex)
    }
}

/// What a player chooses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Action {
    EndTurn,
    Attack { from: Hex, to: Hex },
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::EndTurn => f.write_str("pass"),
            Action::Attack { from, to } => write!(f, "{from}-{to}"),
        }
    }
}

impl FromStr for Action {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((from, to)) = text.split_once('-') else {
            return Ok(Action::EndTurn);
        };
        let (from, to) = (Hex(from.parse()?), Hex(to.parse()?));
        Ok(Action::Attack { from, to })
    }
}

impl Plain {
    /// The same game.
    pub(crate) fn of(game: &DiceOfDoom) -> Plain {
        let params = dice_of_doom::housed::Housed::parameters(game);
        Plain {
            rules: params.rules,
            side: params.side,
            players: params.players,
            max_dice: params.max_dice,
        }
    }

    /// The same position, from one that was written down.
    pub(crate) fn position(&self, setup: &Setup) -> Position {
        let mut cells = Cells::EMPTY;
        for (number, &(owner, dice)) in (0..).zip(&setup.board) {
            cells.set(Hex(number), Player::new(owner), dice);
        }
        Position {
            cells,
            spare: setup.spare,
            player: Player::new(setup.player),
            quiet: setup.quiet.unwrap_or(0),
            first_move: setup.first_move,
        }
    }

    /// As `book::rate` of the rules in a test.
    pub(crate) fn rate(&self, position: &Position, plies: u32) -> Analysis<Action> {
        let tree = Unfold::new(self, position.clone()).limit(plies);
        if self.rules.is_rolled() {
            expectimax_in::<f32, _>(&tree, &PlainScore, position.player)
        } else {
            alpha_beta(&tree, &PlainScore, position.player)
        }
    }

    fn map(&self) -> &'static Map {
        Map::of_side(self.side)
    }
}

/// What may be played.
impl Plain {
    fn may_pass(&self, position: &Position) -> bool {
        match self.rules.end_condition() {
            EndCondition::NoAttack => !position.first_move,
            EndCondition::Conquest => true,
        }
    }

    /// Whether the mover has anything to attack.
    pub(crate) fn has_attack(&self, position: &Position) -> bool {
        let map = self.map();
        let own = position.cells.owned_by(position.player, map.all);
        let mut foreign = map.all & !own;
        match self.rules.combat() {
            Combat::Rolled => own & position.cells.with_more_than_one() & map.around(foreign) != 0,
            Combat::MoreDice => (2..=self.max_dice).rev().any(|dice| {
                foreign &= !position.cells.with_dice(dice);
                own & position.cells.with_dice(dice) & map.around(foreign) != 0
            }),
        }
    }
}

/// What stands on the board.
impl Plain {
    /// A player's hexes and the dice on them.
    pub(crate) fn count(&self, position: &Position, player: Player) -> (u32, u32) {
        let own = position.cells.owned_by(player, self.map().all);
        let dice = hexes_of(own).map(|hex| u32::from(position.dice(hex))).sum();
        (own.count_ones(), dice)
    }

    /// How many hexes a player's largest connected cluster has.
    pub(crate) fn largest_cluster(&self, position: &Position, player: Player) -> u32 {
        self.cluster_of(position, player).count_ones()
    }

    /// The hexes of a player's largest connected cluster, ascending; of several as large, the one with the lowest hex.
    pub(crate) fn cluster(&self, position: &Position, player: Player) -> Vec<Hex> {
        hexes_of(self.cluster_of(position, player)).collect()
    }

    fn cluster_of(&self, position: &Position, player: Player) -> u64 {
        let map = self.map();
        map.largest_cluster(position.cells.owned_by(player, map.all))
    }

    /// How many dice the mover would be promised for ending the turn now; full hexes may leave some over.
    pub(crate) fn reinforcements(&self, position: &Position) -> u32 {
        match self.rules.reinforcement() {
            Reinforcement::Captured => u32::from(position.spare.saturating_sub(1)),
            Reinforcement::Cluster => self.largest_cluster(position, position.player),
        }
    }

    /// Where ending the turn now would put dice: hexes ascending, with the dice added to each.
    pub(crate) fn reinforced(&self, before: &Position) -> Vec<(Hex, u8)> {
        let dice = self.reinforcements(before);
        hexes_of(self.reinforced_hexes(before, before.player, dice))
            .map(|hex| (hex, 1))
            .collect()
    }

    /// The first `dice` hexes of a player that are not full: each gets one die.
    fn reinforced_hexes(&self, position: &Position, player: Player, dice: u32) -> u64 {
        let own = position.cells.owned_by(player, self.map().all);
        let below_full = own & !position.cells.with_dice(self.max_dice);
        let mut rest = below_full;
        for _ in 0..dice {
            if rest == 0 {
                break;
            }
            rest &= rest - 1;
        }
        below_full & !rest
    }

    /// The board after a player is handed dice, whoever's turn it is.
    pub(crate) fn reinforce(&self, position: &Position, player: Player, dice: u32) -> Position {
        let mut after = position.clone();
        after
            .cells
            .add_one(self.reinforced_hexes(position, player, dice));
        after
    }

    /// The owners with the most hexes, in the book's order: by the position of each one's last hex.
    pub(crate) fn winners(&self, position: &Position) -> Vec<Player> {
        let all = self.map().all;
        let mut winners: Vec<Player> = self.leaders(position).collect();
        winners.sort_by_key(|&player| {
            u64::BITS - position.cells.owned_by(player, all).leading_zeros()
        });
        winners
    }

    /// The owners with the most hexes, by number.
    fn leaders(&self, position: &Position) -> impl Iterator<Item = Player> {
        let all = self.map().all;
        let hexes = move |player| position.cells.owned_by(player, all).count_ones();
        let most = Player::all(self.players).map(hexes).max().unwrap_or(0);
        Player::all(self.players).filter(move |&player| hexes(player) == most)
    }

    /// How many players own hexes.
    fn owners(&self, position: &Position) -> u32 {
        Player::all(self.players)
            .filter(|&player| self.owns_any(position, player))
            .count() as u32
    }

    fn owns_any(&self, position: &Position, player: Player) -> bool {
        position.cells.owned_by(player, self.map().all) != 0
    }

    fn is_over(&self, position: &Position) -> bool {
        match self.rules.end_condition() {
            EndCondition::NoAttack => position.first_move && !self.has_attack(position),
            EndCondition::Conquest => {
                let owners = self.owners(position);
                owners < 2 || u32::from(position.quiet) >= QUIET_TURNS_A_PLAYER * owners
            }
        }
    }
}

/// What follows.
impl Plain {
    fn after_end_of_turn(&self, position: &Position) -> Position {
        let mut after = self.reinforce(position, position.player, self.reinforcements(position));
        after.player = position.player.next(self.players);
        if self.rules.end_condition() == EndCondition::Conquest {
            after.quiet = if position.first_move {
                position.quiet.saturating_add(1)
            } else {
                0
            };
            // Ends: the mover who gets here owns hexes, or else somebody does.
            while !self.owns_any(&after, after.player) {
                after.player = after.player.next(self.players);
            }
        }
        after.spare = 0;
        after.first_move = true;
        after
    }

    fn after_attack(&self, position: &Position, from: Hex, to: Hex, won: Outcome) -> Position {
        let mut after = position.clone();
        after.spare = position.spare.saturating_add(u16::from(position.dice(to)));
        after.first_move = false;
        if won == Outcome::Won {
            after
                .cells
                .set(to, position.player, position.dice(from) - 1);
        }
        after.cells.set_dice(from, 1);
        after
    }
}

/// The legal actions in the book's order; no allocation, as searches run through many.
#[derive(Clone)]
struct Actions<'p> {
    position: &'p Position,
    map: &'static Map,
    combat: Combat,
    pass: bool,
    foreign: u64,
    sources: u64,
    source: Hex,
    unseen: &'static [Hex],
    targets: u64,
}

impl Iterator for Actions<'_> {
    type Item = Action;
    fn next(&mut self) -> Option<Action> {
        if self.pass {
            self.pass = false;
            return Some(Action::EndTurn);
        }
        loop {
            while let [to, unseen @ ..] = self.unseen {
                self.unseen = unseen;
                if self.targets & to.bit() != 0 {
                    return Some(Action::Attack {
                        from: self.source,
                        to: *to,
                    });
                }
            }
            if self.sources == 0 {
                return None;
            }
            self.source = Hex(self.sources.trailing_zeros() as u8);
            self.sources &= self.sources - 1;
            self.unseen = self.map.neighbours(self.source);
            self.targets = match self.combat {
                Combat::Rolled => self.foreign,
                Combat::MoreDice => {
                    let dice = self.position.dice(self.source);
                    self.foreign & self.position.cells.with_fewer_than(dice)
                }
            };
        }
    }
}

impl Game for Plain {
    type Position = Position;
    type Action = Action;
    type Outcome = Outcome;

    fn players(&self) -> u8 {
        self.players
    }

    fn status(&self, position: &Position) -> Status {
        if self.is_over(position) {
            Status::Over(Payoffs::shared_by(self.leaders(position).collect()))
        } else {
            Status::Turn(position.player)
        }
    }

    fn adjudicate(&self, position: &Position, gave_up: Players) -> Payoffs {
        let stayed = || Player::all(self.players).filter(|&player| !gave_up.contains(player));
        let most = stayed().map(|player| self.count(position, player).0).max();
        let leads = |player: &Player| Some(self.count(position, *player).0) == most;
        Payoffs::shared_by(stayed().filter(leads).collect())
    }

    fn actions(&self, position: &Position) -> impl Iterator<Item = Action> + Clone {
        let map = self.map();
        let own = position.cells.owned_by(position.player, map.all);
        let foreign = map.all & !own;
        // Under the book's ending a finished game lists nothing by itself.
        let over = self.rules.end_condition() == EndCondition::Conquest && self.is_over(position);
        let attackers = own & position.cells.with_more_than_one() & map.around(foreign);
        Actions {
            position,
            map,
            combat: self.rules.combat(),
            pass: !over && self.may_pass(position),
            foreign,
            sources: if over { 0 } else { attackers },
            source: Hex(0),
            unseen: &[],
            targets: 0,
        }
    }

    fn lottery(
        &self,
        position: &Position,
        action: Action,
    ) -> impl Iterator<Item = (Outcome, f64)> + Clone {
        lottery(action, |from, to| {
            let rolled = self.rules.is_rolled();
            rolled.then(|| book::rounded_odds(position.dice(from), position.dice(to)))
        })
    }

    fn play(&self, position: &Position, action: Action, outcome: Outcome) -> Position {
        match action {
            Action::EndTurn => self.after_end_of_turn(position),
            Action::Attack { from, to } => self.after_attack(position, from, to, outcome),
        }
    }
}

/// The outcomes of an action by given odds; where nothing is rolled (`None`) an attack is won.
pub(crate) fn lottery(
    action: Action,
    odds: impl FnOnce(Hex, Hex) -> Option<f64>,
) -> impl Iterator<Item = (Outcome, f64)> + Clone {
    let (first, lost) = match action {
        Action::EndTurn => ((Outcome::Sure, 1.0), None),
        Action::Attack { from, to } => match odds(from, to) {
            Some(won) => ((Outcome::Won, won), Some((Outcome::Lost, 1.0 - won))),
            None => ((Outcome::Won, 1.0), None),
        },
    };
    std::iter::once(first).chain(lost)
}

/// For each hex 2 if it is the player's and safe, 1 if it is the player's and threatened, −1 if it
/// is foreign. A finished game counts the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PlainScore;

impl Evaluate<Plain> for PlainScore {
    fn bounds(&self, game: &Plain) -> RangeInclusive<f64> {
        let hexes = f64::from(game.side * game.side);
        -hexes..=2.0 * hexes
    }

    #[inline]
    fn evaluate(&self, game: &Plain, position: &Position, player: Player) -> f64 {
        let map = game.map();
        let own = position.cells.owned_by(player, map.all);
        let threatened = threatened_among(game, position, own).count_ones() as i32;
        let own = own.count_ones() as i32;
        let foreign = i32::from(game.side * game.side) - own;
        f64::from(2 * own - threatened - foreign)
    }
}

impl Plain {
    /// The hexes of a player that touch a foreign hex with strictly more dice, ascending.
    ///
    /// The book asks so for every preset, also where dice are rolled.
    pub(crate) fn threatened(&self, position: &Position, player: Player) -> Vec<Hex> {
        let own = position.cells.owned_by(player, self.map().all);
        hexes_of(threatened_among(self, position, own)).collect()
    }
}

/// Of one player's hexes, those that touch a foreign hex with strictly more dice.
#[inline]
fn threatened_among(game: &Plain, position: &Position, own: u64) -> u64 {
    let map = game.map();
    let mut stronger = map.all & !own;
    let mut threatened = 0;
    for dice in 1..game.max_dice {
        let here = position.cells.with_dice(dice);
        stronger &= !here;
        threatened |= own & here & map.around(stronger);
    }
    threatened
}
