//! A plain reference implementation of the rules over a list of (owner, dice): the oracle of `packed.rs`. It is
//! not optimised and does not use the bitboards.
//!
//! The rules are those of Land of Lisp, chapters 15, 18, 19 and 20, and `conquest`, which is not in the book.

use dice_of_doom_core::game::{Game, Payoffs, Player, PlayerSet, Status};
use dice_of_doom_core::search::StaticEvaluation;
use dice_of_doom_games::dice_of_doom::{
    Action, DiceOfDoom, Hex, Outcome, Rules, Setup, land_of_lisp,
};

/// The game. Actions refer to hexes by `names`; all other code counts them from 0, row by row.
pub(crate) struct Oracle {
    rules: Rules,
    players: u8,
    max_dice: u8,
    names: Vec<Hex>,
    neighbours: Vec<Vec<usize>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Position {
    /// Owner and dice of every hex.
    pub(crate) cells: Vec<(Player, u8)>,
    pub(crate) player: Player,
    /// The dice that were on the hexes attacked in this turn.
    pub(crate) spare: u16,
    pub(crate) first_move: bool,
    /// The number of consecutive turns without an attack.
    pub(crate) quiet: u8,
}

impl Oracle {
    pub(crate) fn of(game: &DiceOfDoom) -> Oracle {
        Oracle {
            rules: game.rules(),
            players: game.players(),
            max_dice: game.max_dice(),
            names: game.all_hexes().collect(),
            neighbours: neighbours(i32::from(game.side())),
        }
    }

    pub(crate) fn position(&self, setup: &Setup) -> Position {
        let cell = |&(owner, dice): &(u8, u8)| (Player::new(owner), dice);
        Position {
            cells: setup.board.iter().map(cell).collect(),
            player: Player::new(setup.player),
            spare: setup.spare,
            first_move: setup.first_move,
            quiet: setup.quiet.unwrap_or(0),
        }
    }

    fn is_rolled(&self) -> bool {
        matches!(self.rules, Rules::V4 | Rules::Conquest)
    }

    /// A player's hexes, ascending.
    pub(crate) fn owned(&self, position: &Position, player: Player) -> Vec<usize> {
        let hexes = 0..position.cells.len();
        hexes
            .filter(|&hex| position.cells[hex].0 == player)
            .collect()
    }

    /// The legal attacks: own hexes and foreign neighbours, which must have fewer dice if no dice are rolled.
    fn attacks(&self, position: &Position) -> Vec<(usize, usize)> {
        let mut attacks = Vec::new();
        for from in self.owned(position, position.player) {
            for &to in &self.neighbours[from] {
                let (mine, (owner, theirs)) = (position.cells[from].1, position.cells[to]);
                let can_win = if self.is_rolled() {
                    mine > 1
                } else {
                    mine > theirs
                };
                if owner != position.player && can_win {
                    attacks.push((from, to));
                }
            }
        }
        attacks
    }

    fn is_over(&self, position: &Position) -> bool {
        if self.rules != Rules::Conquest {
            return position.first_move && self.attacks(position).is_empty();
        }
        let alive =
            Player::all(self.players).filter(|&player| !self.owned(position, player).is_empty());
        let alive = alive.count();
        alive == 1 || usize::from(position.quiet) >= 8 * alive
    }

    /// The players with the most hexes, ordered by the number of each one's last hex.
    pub(crate) fn winners(&self, position: &Position) -> Vec<Player> {
        let hexes = |player: &Player| self.owned(position, *player).len();
        let most = Player::all(self.players).map(|player| hexes(&player)).max();
        let mut winners: Vec<Player> = Player::all(self.players)
            .filter(|player| Some(hexes(player)) == most)
            .collect();
        winners.sort_by_key(|&player| self.owned(position, player).pop());
        winners
    }

    /// A player's largest connected group; on ties the one with the lowest hex.
    pub(crate) fn cluster(&self, position: &Position, player: Player) -> Vec<usize> {
        let (mut largest, mut left) = (Vec::new(), self.owned(position, player));
        while let Some(&start) = left.first() {
            let (mut cluster, mut open) = (Vec::new(), vec![start]);
            while let Some(hex) = open.pop() {
                if let Some(at) = left.iter().position(|&other| other == hex) {
                    cluster.push(left.remove(at));
                    open.extend(&self.neighbours[hex]);
                }
            }
            if cluster.len() > largest.len() {
                largest = cluster;
            }
        }
        largest.sort_unstable();
        largest
    }

    /// The mover's hexes that get a die at the end of the turn: the first ones that are not full.
    pub(crate) fn reinforced(&self, position: &Position) -> Vec<usize> {
        let dice = if self.is_rolled() {
            self.cluster(position, position.player).len()
        } else {
            usize::from(position.spare).saturating_sub(1)
        };
        let mut hexes = self.owned(position, position.player);
        hexes.retain(|&hex| position.cells[hex].1 < self.max_dice);
        hexes.truncate(dice);
        hexes
    }

    /// A player's hexes that touch a foreign hex with more dice.
    pub(crate) fn threatened(&self, position: &Position, player: Player) -> Vec<usize> {
        let cells = &position.cells;
        let mut hexes = self.owned(position, player);
        hexes.retain(|&hex| {
            let mut around = self.neighbours[hex].iter();
            around.any(|&other| cells[other].0 != player && cells[other].1 > cells[hex].1)
        });
        hexes
    }

    fn end_of_turn(&self, position: &Position) -> Position {
        let mut after = position.clone();
        for hex in self.reinforced(position) {
            after.cells[hex].1 += 1;
        }
        after.player = position.player.next(self.players);
        if self.rules == Rules::Conquest {
            after.quiet = if position.first_move {
                position.quiet + 1
            } else {
                0
            };
            while self.owned(&after, after.player).is_empty() {
                after.player = after.player.next(self.players);
            }
        }
        (after.spare, after.first_move) = (0, true);
        after
    }

    fn attack(&self, position: &Position, from: usize, to: usize, is_won: bool) -> Position {
        let mut after = position.clone();
        let (mine, theirs) = (position.cells[from].1, position.cells[to].1);
        after.cells[from].1 = 1;
        if is_won {
            after.cells[to] = (position.player, mine - 1);
        }
        after.spare = position.spare.saturating_add(u16::from(theirs));
        after.first_move = false;
        after
    }
}

/// The neighbours of each hex in the book's order: above, below, then to the left unless in the first column,
/// then to the right unless in the last. Each row starts half a hex further to the left.
fn neighbours(side: i32) -> Vec<Vec<usize>> {
    let around = |hex: i32| {
        let mut around = vec![hex - side, hex + side];
        if hex % side > 0 {
            around.extend([hex - side - 1, hex - 1]);
        }
        if hex % side < side - 1 {
            around.extend([hex + 1, hex + side + 1]);
        }
        around.retain(|other| (0..side * side).contains(other));
        around.into_iter().map(|hex| hex as usize).collect()
    };
    (0..side * side).map(around).collect()
}

impl Game for Oracle {
    type Position = Position;
    type Action = Action;
    type Outcome = Outcome;

    fn players(&self) -> u8 {
        self.players
    }

    fn status(&self, position: &Position) -> Status {
        if self.is_over(position) {
            Status::Over(Payoffs::for_winners(
                self.winners(position).into_iter().collect(),
            ))
        } else {
            Status::Turn(position.player)
        }
    }

    fn legal_actions(&self, position: &Position) -> impl Iterator<Item = Action> + Clone {
        let may_pass = self.rules == Rules::Conquest || !position.first_move;
        let pass = may_pass.then_some(Action::EndTurn);
        let attacks = self.attacks(position).into_iter();
        let attacks = attacks.map(|(from, to)| Action::Attack {
            from: self.names[from],
            to: self.names[to],
        });
        let is_over = self.is_over(position);
        pass.into_iter().chain(attacks).filter(move |_| !is_over)
    }

    fn chance_outcomes(
        &self,
        position: &Position,
        action: Action,
    ) -> impl Iterator<Item = (Outcome, f64)> + Clone {
        let outcomes = match action {
            Action::EndTurn => vec![(Outcome::Certain, 1.0)],
            Action::Attack { from, to } if self.is_rolled() => {
                let dice = |hex: Hex| position.cells[usize::from(hex.number())].1;
                let odds = land_of_lisp::rounded_win_probability(dice(from), dice(to));
                vec![(Outcome::Won, odds), (Outcome::Lost, 1.0 - odds)]
            }
            Action::Attack { .. } => vec![(Outcome::Won, 1.0)],
        };
        outcomes.into_iter()
    }

    fn apply(&self, position: &Position, action: Action, outcome: Outcome) -> Position {
        match action {
            Action::EndTurn => self.end_of_turn(position),
            Action::Attack { from, to } => {
                let [from, to] = [from, to].map(|hex| usize::from(hex.number()));
                self.attack(position, from, to, outcome == Outcome::Won)
            }
        }
    }

    fn adjudicate(&self, position: &Position, _: PlayerSet) -> Payoffs {
        Payoffs::for_winners(self.winners(position).into_iter().collect())
    }
}

/// The book's score: 2 for each of the player's hexes, 1 if it is threatened, −1 for each foreign hex.
pub(crate) struct PlainScore;

impl StaticEvaluation<Oracle> for PlainScore {
    fn evaluate(&self, game: &Oracle, position: &Position, player: Player) -> f64 {
        let own = game.owned(position, player).len() as f64;
        let threatened = game.threatened(position, player).len() as f64;
        2.0 * own - threatened - (position.cells.len() as f64 - own)
    }
}
