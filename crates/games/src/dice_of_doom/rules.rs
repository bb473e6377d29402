//! The rules: legal actions, their effects, and the end of the game.
//!
//! The rules are pure functions of [`Position`]; [`Rules`] has the differences between the book's versions.

use rand::Rng;

use super::action::{Action, Outcome};
use super::board::{Hex, HexAdjacency, iter_hexes, lowest_hexes};
use super::dice::{AttackRoll, Faces, Throw, win_probability};
use super::position::{Position, SetupError};
use super::preset::{Combat, EndCondition, Reinforcement, Rules};
use dice_of_doom_core::game::{Game, Payoffs, Player, PlayerSet, RecordableGame, Status};

/// `conquest` ends after this number of turns without an attack, times the number of players who own hexes.
const QUIET_TURNS_PER_PLAYER: u32 = 8;

/// The reason why an action is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum IllegalActionError {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The board has fewer hexes.
    #[error("there is no hex {hex}")]
    NoSuchHex {
        /// The given hex.
        hex: Hex,
    },
    /// The source does not belong to the mover.
    #[error("hex {hex} is not yours")]
    NotYourHex {
        /// The attacking hex.
        hex: Hex,
    },
    /// The source has one die.
    #[error("hex {hex} has one die and cannot attack")]
    OneDie {
        /// The attacking hex.
        hex: Hex,
    },
    /// The two hexes do not touch.
    #[error("hexes {from} and {to} do not touch")]
    NotNeighbours {
        /// The attacking hex.
        from: Hex,
        /// The attacked hex.
        to: Hex,
    },
    /// The target belongs to the mover.
    #[error("hex {to} is already yours")]
    OwnTarget {
        /// The attacked hex.
        to: Hex,
    },
    /// With `MoreDice` combat, the source does not have more dice than the target.
    #[error("hex {from} needs more dice than hex {to}")]
    TooFewDice {
        /// The attacking hex.
        from: Hex,
        /// The attacked hex.
        to: Hex,
    },
    /// The turn cannot end before an attack.
    #[error("you can pass only after an attack")]
    NothingToPass,
}

/// The parameters of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DiceOfDoom {
    rules: Rules,
    side: u8,
    players: u8,
    max_dice: u8,
}

impl DiceOfDoom {
    /// A game with side 2 to 8, 2 to 6 players and a maximum of 2 to 8 dice per hex.
    ///
    /// # Errors
    /// If a number is out of range, or there are fewer hexes than players.
    pub fn new(rules: Rules, side: u8, players: u8, max_dice: u8) -> Result<Self, SetupError> {
        if !(2..=8).contains(&side) {
            return Err(SetupError::Side(side));
        }
        if !(2..=6).contains(&players) {
            return Err(SetupError::Players(players));
        }
        if !(2..=8).contains(&max_dice) {
            return Err(SetupError::MaxDice(max_dice));
        }
        let hexes = side * side;
        if hexes < players {
            return Err(SetupError::TooFewHexes { hexes, players });
        }
        Ok(DiceOfDoom {
            rules,
            side,
            players,
            max_dice,
        })
    }

    /// The preset with its default parameters.
    #[must_use]
    pub const fn preset(rules: Rules) -> Self {
        let (players, max_dice, side) = rules.defaults();
        DiceOfDoom {
            rules,
            side,
            players,
            max_dice,
        }
    }

    /// The preset of the rules.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The number of hexes per row and of rows.
    #[must_use]
    pub const fn side(&self) -> u8 {
        self.side
    }

    /// The number of players.
    #[must_use]
    pub const fn players(&self) -> u8 {
        self.players
    }

    /// The maximum number of dice per hex.
    #[must_use]
    pub const fn max_dice(&self) -> u8 {
        self.max_dice
    }

    /// The number of hexes.
    #[must_use]
    pub const fn hexes(&self) -> u8 {
        self.side * self.side
    }

    /// The hex with this number; `None` if the board is smaller.
    #[must_use]
    pub fn hex(&self, number: u8) -> Option<Hex> {
        (number < self.hexes()).then_some(Hex(number))
    }

    /// All hexes, ascending.
    pub fn all_hexes(&self) -> impl Iterator<Item = Hex> + Clone + use<> {
        (0..self.hexes()).map(Hex)
    }

    /// The neighbours of a hex, in the book's order.
    #[must_use]
    pub fn neighbours(&self, hex: Hex) -> &'static [Hex] {
        self.map().neighbours(hex)
    }

    pub(super) const fn player_count(&self) -> u8 {
        self.players
    }

    pub(super) fn map(&self) -> &'static HexAdjacency {
        HexAdjacency::for_side(self.side)
    }
}

/// Legality of actions.
impl DiceOfDoom {
    /// Checks whether an action is legal.
    ///
    /// # Errors
    /// The first rule that forbids it.
    pub fn check_action(
        &self,
        position: &Position,
        action: Action,
    ) -> Result<(), IllegalActionError> {
        match action {
            _ if self.status(position).is_over() => Err(IllegalActionError::GameOver),
            Action::EndTurn if self.can_pass(position) => Ok(()),
            Action::EndTurn => Err(IllegalActionError::NothingToPass),
            Action::Attack { from, to } => self.check_attack(position, from, to),
        }
    }

    /// Checks whether the mover may attack `to` from `from`.
    ///
    /// # Errors
    /// The first rule that forbids it.
    pub fn check_attack(
        &self,
        position: &Position,
        from: Hex,
        to: Hex,
    ) -> Result<(), IllegalActionError> {
        if self.status(position).is_over() {
            return Err(IllegalActionError::GameOver);
        }
        if let Some(hex) = [from, to].into_iter().find(|hex| hex.0 >= self.hexes()) {
            return Err(IllegalActionError::NoSuchHex { hex });
        }
        if position.owner(from) != position.player {
            return Err(IllegalActionError::NotYourHex { hex: from });
        }
        if position.dice(from) == 1 {
            return Err(IllegalActionError::OneDie { hex: from });
        }
        if position.owner(to) == position.player {
            return Err(IllegalActionError::OwnTarget { to });
        }
        if !self.neighbours(from).contains(&to) {
            return Err(IllegalActionError::NotNeighbours { from, to });
        }
        if !self.rules.is_rolled() && position.dice(from) <= position.dice(to) {
            return Err(IllegalActionError::TooFewDice { from, to });
        }
        Ok(())
    }

    pub(super) fn can_pass(&self, position: &Position) -> bool {
        match self.rules.end_condition() {
            EndCondition::NoAttack => !position.first_move,
            EndCondition::Conquest => true,
        }
    }

    /// Whether the mover has a legal attack.
    pub(super) fn has_attack(&self, position: &Position) -> bool {
        let map = self.map();
        let cells = &position.cells;
        let own = cells.owned_by(position.player);
        let foreign = map.all & !own;
        match self.rules.combat() {
            Combat::Rolled => own & cells.hexes_with_at_least(2) & map.adjacent_hexes(foreign) != 0,
            Combat::MoreDice => {
                let mut marks = cells.thermometer_sets(self.max_dice).iter();
                marks.any(|mark| own & mark & map.adjacent_hexes(foreign & !mark) != 0)
            }
        }
    }

    /// The exact probability that an attack succeeds; `None` if no dice are rolled.
    #[must_use]
    pub fn attack_win_probability(&self, position: &Position, from: Hex, to: Hex) -> Option<f64> {
        let rolled = self.rules.is_rolled();
        rolled.then(|| win_probability(position.dice(from), position.dice(to)))
    }
}

/// Queries about the board.
impl DiceOfDoom {
    /// The number of a player's hexes, and of the dice on them.
    #[must_use]
    pub fn hex_and_dice_count(&self, position: &Position, player: Player) -> (u32, u32) {
        let own = position.cells.owned_by(player);
        let marks = position.cells.thermometer_sets(self.max_dice).iter();
        let extra_dice: u32 = marks.map(|mark| (own & mark).count_ones()).sum();
        (own.count_ones(), own.count_ones() + extra_dice)
    }

    /// The size of a player's largest connected cluster.
    #[must_use]
    pub fn largest_cluster(&self, position: &Position, player: Player) -> u32 {
        self.largest_cluster_set(position, player).count_ones()
    }

    /// The hexes of a player's largest connected cluster, ascending; on ties the cluster with the lowest hex.
    #[must_use]
    pub fn cluster(&self, position: &Position, player: Player) -> Vec<Hex> {
        iter_hexes(self.largest_cluster_set(position, player)).collect()
    }

    fn largest_cluster_set(&self, position: &Position, player: Player) -> u64 {
        self.map().largest_cluster(position.cells.owned_by(player))
    }

    /// The number of dice due to the mover for ending the turn now; fewer are placed if not enough hexes have
    /// space.
    #[must_use]
    pub fn reinforcements(&self, position: &Position) -> u32 {
        match self.rules.reinforcement() {
            Reinforcement::Captured => u32::from(position.spare.saturating_sub(1)),
            Reinforcement::Cluster => self.largest_cluster(position, position.player),
        }
    }

    /// The hexes that would get dice if the turn ended now, ascending, with the number of dice added.
    #[must_use]
    pub fn reinforced(&self, before: &Position) -> Vec<(Hex, u8)> {
        let dice = self.reinforcements(before);
        iter_hexes(self.reinforced_hexes(before, before.player, dice))
            .map(|hex| (hex, 1))
            .collect()
    }

    /// The first `dice` hexes of a player that are not full; each gets one die.
    fn reinforced_hexes(&self, position: &Position, player: Player, dice: u32) -> u64 {
        let cells = &position.cells;
        lowest_hexes(
            dice,
            cells.owned_by(player) & !cells.hexes_with_at_least(self.max_dice),
        )
    }

    /// The position after a player gets dice, regardless of the side to move.
    #[must_use]
    pub fn reinforce(&self, position: &Position, player: Player, dice: u32) -> Position {
        let mut after = *position;
        after
            .cells
            .add_one_die(self.reinforced_hexes(position, player, dice));
        after
    }

    /// The players with the most hexes, in the book's order: by the number of each one's last hex.
    #[must_use]
    pub fn winners(&self, position: &Position) -> Vec<Player> {
        let mut winners: Vec<Player> = self.leading_owners(position).collect();
        winners.sort_by_key(|&player| u64::BITS - position.cells.owned_by(player).leading_zeros());
        winners
    }

    /// The players with the most hexes, by player number.
    fn leading_owners(&self, position: &Position) -> impl Iterator<Item = Player> {
        let hexes = move |player| position.cells.owned_by(player).count_ones();
        let max = Player::all(self.players).map(hexes).max().unwrap_or(0);
        Player::all(self.players).filter(move |&player| hexes(player) == max)
    }

    /// The number of players who own hexes.
    fn owner_count(&self, position: &Position) -> u32 {
        Player::all(self.players)
            .filter(|&player| self.has_hexes(position, player))
            .count() as u32
    }

    fn has_hexes(&self, position: &Position, player: Player) -> bool {
        position.cells.owned_by(player) != 0
    }

    pub(super) fn is_over(&self, position: &Position) -> bool {
        match self.rules.end_condition() {
            EndCondition::NoAttack => position.first_move && !self.has_attack(position),
            EndCondition::Conquest => {
                let owners = self.owner_count(position);
                owners < 2 || u32::from(position.quiet) >= QUIET_TURNS_PER_PLAYER * owners
            }
        }
    }
}

/// Effects of actions.
impl DiceOfDoom {
    fn after_end_of_turn(&self, position: &Position) -> Position {
        let mut after = self.reinforce(position, position.player, self.reinforcements(position));
        after.player = position.player.next(self.players);
        if self.rules.end_condition() == EndCondition::Conquest {
            after.quiet = if position.first_move {
                position.quiet.saturating_add(1)
            } else {
                0
            };
            // Terminates because at least one player owns hexes.
            while !self.has_hexes(&after, after.player) {
                after.player = after.player.next(self.players);
            }
        }
        after.spare = 0;
        after.first_move = true;
        after
    }

    fn after_attack(&self, position: &Position, from: Hex, to: Hex, won: Outcome) -> Position {
        let mut after = *position;
        after.spare = position.spare.saturating_add(u16::from(position.dice(to)));
        after.first_move = false;
        match won {
            Outcome::Won => after.cells.move_dice(from, to, position.player),
            _ => after.cells.leave_one_die(from),
        }
        after
    }
}

/// Iterates over the legal actions in the book's order, without allocation.
#[derive(Clone)]
struct LegalActions<'p> {
    position: &'p Position,
    map: &'static HexAdjacency,
    combat: Combat,
    pass: bool,
    foreign: u64,
    /// The attacking hexes not yet visited.
    sources: u64,
    source: Hex,
    /// The remaining targets of `source`, as a bit set of indices in the book's order.
    targets: u8,
}

impl LegalActions<'_> {
    fn targets_of(&self, source: Hex) -> u8 {
        let weaker = match self.combat {
            Combat::Rolled => self.foreign,
            Combat::MoreDice => {
                let dice = self.position.dice(source);
                self.foreign & !self.position.cells.hexes_with_at_least(dice)
            }
        };
        self.map.neighbours_in(source, weaker)
    }
}

impl Iterator for LegalActions<'_> {
    type Item = Action;
    #[inline]
    fn next(&mut self) -> Option<Action> {
        if self.pass {
            self.pass = false;
            return Some(Action::EndTurn);
        }
        while self.targets == 0 {
            if self.sources == 0 {
                return None;
            }
            self.source = Hex(self.sources.trailing_zeros() as u8);
            self.sources &= self.sources - 1;
            self.targets = self.targets_of(self.source);
        }
        let index = self.targets.trailing_zeros();
        self.targets &= self.targets - 1;
        Some(Action::Attack {
            from: self.source,
            to: self.map.neighbour(self.source, index),
        })
    }
}

impl Game for DiceOfDoom {
    type Position = Position;
    type Action = Action;
    type Outcome = Outcome;

    fn players(&self) -> u8 {
        self.players
    }

    #[inline]
    fn status(&self, position: &Position) -> Status {
        if self.is_over(position) {
            Status::Over(Payoffs::for_winners(
                self.leading_owners(position).collect(),
            ))
        } else {
            Status::Turn(position.player)
        }
    }

    /// If reinforcements depend on clusters, the captured dice have no effect.
    #[inline]
    fn canonicalise(&self, position: &mut Position) {
        if self.rules.reinforcement() == Reinforcement::Cluster {
            position.spare = 0;
        }
    }

    fn adjudicate(&self, position: &Position, gave_up: PlayerSet) -> Payoffs {
        let remaining = || Player::all(self.players).filter(|&player| !gave_up.contains(player));
        let max = remaining()
            .map(|player| self.hex_and_dice_count(position, player).0)
            .max();
        let is_leader = |player: &Player| Some(self.hex_and_dice_count(position, *player).0) == max;
        Payoffs::for_winners(remaining().filter(is_leader).collect())
    }

    #[inline]
    fn legal_actions(&self, position: &Position) -> impl Iterator<Item = Action> + Clone {
        let map = self.map();
        let own = position.cells.owned_by(position.player);
        let foreign = map.all & !own;
        // Under the book's rules a finished game has neither an attack nor a pass.
        let is_over =
            self.rules.end_condition() == EndCondition::Conquest && self.is_over(position);
        let attackers = own & position.cells.hexes_with_at_least(2) & map.adjacent_hexes(foreign);
        LegalActions {
            position,
            map,
            combat: self.rules.combat(),
            pass: !is_over && self.can_pass(position),
            foreign,
            sources: if is_over { 0 } else { attackers },
            source: Hex(0),
            targets: 0,
        }
    }

    #[inline]
    fn chance_outcomes(
        &self,
        position: &Position,
        action: Action,
    ) -> impl Iterator<Item = (Outcome, f64)> + Clone {
        attack_outcomes(action, |from, to| {
            self.attack_win_probability(position, from, to)
        })
    }

    fn apply(&self, position: &Position, action: Action, outcome: Outcome) -> Position {
        match action {
            Action::EndTurn => self.after_end_of_turn(position),
            Action::Attack { from, to } => self.after_attack(position, from, to, outcome),
        }
    }
}

/// The outcomes of an action with the given win probability; without one (`None`) the attack always succeeds.
pub(super) fn attack_outcomes(
    action: Action,
    win_probability: impl FnOnce(Hex, Hex) -> Option<f64>,
) -> impl Iterator<Item = (Outcome, f64)> + Clone {
    let (first, lost) = match action {
        Action::EndTurn => ((Outcome::Certain, 1.0), None),
        Action::Attack { from, to } => match win_probability(from, to) {
            Some(won) => ((Outcome::Won, won), Some((Outcome::Lost, 1.0 - won))),
            None => ((Outcome::Won, 1.0), None),
        },
    };
    std::iter::once(first).chain(lost)
}

impl RecordableGame for DiceOfDoom {
    type Roll = AttackRoll;

    fn roll(&self, position: &Position, action: Action, rng: &mut impl Rng) -> AttackRoll {
        match action {
            Action::Attack { from, to } if self.rules.is_rolled() => {
                AttackRoll::from_throw(Throw {
                    attack: Faces::roll(position.dice(from), rng),
                    defend: Faces::roll(position.dice(to), rng),
                })
            }
            _ => AttackRoll::NONE,
        }
    }

    fn outcome_of_roll(
        &self,
        position: &Position,
        action: Action,
        roll: &AttackRoll,
    ) -> Option<Outcome> {
        match (action, roll.throw()) {
            (Action::EndTurn, None) => Some(Outcome::Certain),
            (Action::Attack { from, to }, Some(throw)) if self.rules.is_rolled() => {
                let has_count =
                    |faces: &Faces, hex| faces.as_slice().len() == usize::from(position.dice(hex));
                let is_valid = has_count(&throw.attack, from) && has_count(&throw.defend, to);
                let outcome = if throw.attacker_wins() {
                    Outcome::Won
                } else {
                    Outcome::Lost
                };
                is_valid.then_some(outcome)
            }
            (Action::Attack { .. }, None) if !self.rules.is_rolled() => Some(Outcome::Won),
            _ => None,
        }
    }
}
