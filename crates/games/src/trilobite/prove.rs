//! Proofs: how a column ends if both play as well as possible, as far as a counted search can tell.
//!
//! The search deepens ply by ply (Slate and Atkin 1977), and after a win it looks for shorter ones only.
//! A node is won when a reply is lost, lost when all are won, drawn when the rest of the board is known
//! and none is lost, and open otherwise. Replies that leave no choice are the only ones looked at.
//!
//! Not here: guesses. What stays open is estimated elsewhere.

use std::collections::HashMap;

use super::board::{Chips, Column, bits_of};
use super::forecast::ByThreats;
use super::position::Position;
use super::rules::Trilobite;
use super::threats::completing;
use dice_of_doom_core::game::{ByPlayer, Game, Player};
use dice_of_doom_core::search::{Shares, Stop};
use dice_of_doom_core::weighing::{Judge, Weigh, Weighed, WeighedOutcome};

/// So many positions of a proof take about as long as one simulation.
const A_SIMULATION: u64 = 3;

/// About how many bytes the table takes for a position.
const POSITION_BYTES: usize = 64;

/// Weighs by proof where there is one, and as a judge does elsewhere.
pub(super) struct Proving(pub(super) Judge<Trilobite, ByThreats>);

/// How a position ends for its mover, after so many further plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Won(u32),
    Lost(u32),
    /// The board fills up.
    Drawn,
    /// Not known at this depth.
    Open,
}

impl Weigh<Trilobite> for Proving {
    fn usual_simulations(&self, game: &Trilobite) -> u64 {
        self.0.usual_simulations(game)
    }

    fn weigh_beside(
        &self,
        game: &Trilobite,
        position: &Position,
        played: Option<Column>,
        simulations: u64,
        stop: &Stop,
    ) -> Option<Vec<Weighed<Column>>> {
        if game.status(position).is_over() {
            return Some(Vec::new());
        }
        let columns = game.actions(position);
        let proven = proofs(
            game,
            position,
            columns,
            A_SIMULATION.saturating_mul(simulations),
            stop,
        )?;
        if proven.iter().all(|(_, verdict)| *verdict != Verdict::Open) {
            let all = proven.into_iter();
            return Some(
                all.filter_map(|(column, verdict)| exact(game, position, column, verdict))
                    .collect(),
            );
        }
        let mut weighed = self
            .0
            .weigh_beside(game, position, played, simulations, stop)?;
        for (one, (column, verdict)) in weighed.iter_mut().zip(proven) {
            if let Some(exact) = exact(game, position, column, verdict) {
                *one = exact;
            }
        }
        Some(weighed)
    }

    fn look_closer(
        &self,
        game: &Trilobite,
        position: &Position,
        column: Column,
        simulations: u64,
        stop: &Stop,
    ) -> Option<Weighed<Column>> {
        let alone = std::iter::once(column);
        let proven = proofs(
            game,
            position,
            alone,
            A_SIMULATION.saturating_mul(simulations),
            stop,
        )?;
        let (_, verdict) = proven[0];
        match exact(game, position, column, verdict) {
            Some(exact) => Some(exact),
            None => self
                .0
                .look_closer(game, position, column, simulations, stop),
        }
    }

    fn most_bytes(&self, game: &Trilobite, simulations: u64) -> usize {
        self.0.most_bytes(game, simulations).max(table(simulations))
    }

    fn closer_bytes(&self, game: &Trilobite, simulations: u64) -> usize {
        self.0
            .closer_bytes(game, simulations)
            .max(table(simulations))
    }
}

/// About how many bytes the table of a proof takes.
fn table(simulations: u64) -> usize {
    let positions = usize::try_from(A_SIMULATION.saturating_mul(simulations)).unwrap_or(usize::MAX);
    positions.saturating_mul(POSITION_BYTES)
}

/// A column whose end is known.
fn exact(
    game: &Trilobite,
    position: &Position,
    column: Column,
    verdict: Verdict,
) -> Option<Weighed<Column>> {
    let empty = u32::from(game.cells()) - game.chips(position);
    let (share, plies) = match verdict {
        Verdict::Won(plies) => (1.0, plies),
        Verdict::Lost(plies) => (0.0, plies),
        Verdict::Drawn => (0.5, empty),
        Verdict::Open => return None,
    };
    let mover = position.player();
    let shares: Shares = ByPlayer::from_fn(|player: Player| match player.number() {
        0 | 1 if player == mover => share,
        0 | 1 => 1.0 - share,
        _ => 0.0,
    });
    let outcome = WeighedOutcome {
        probability: 1.0,
        shares,
    };
    Some(Weighed {
        is_exact: true,
        ends_in: Some(plies),
        ..Weighed::of(column, vec![outcome])
    })
}

/// How each of these columns ends for the mover; `None` when it was stopped.
fn proofs(
    game: &Trilobite,
    position: &Position,
    columns: impl Iterator<Item = Column>,
    nodes: u64,
    stop: &Stop,
) -> Option<Vec<(Column, Verdict)>> {
    let mut search = Search {
        game,
        known: HashMap::new(),
        left: nodes,
        stop,
    };
    let mut found: Vec<_> = columns.map(|column| (column, Verdict::Open)).collect();
    let empty = u32::from(game.cells()) - game.chips(position);
    for depth in 1..=empty {
        for (column, verdict) in &mut found {
            if *verdict != Verdict::Open {
                continue;
            }
            let after = game.play(position, *column, ());
            *verdict = if after.is_lost {
                Verdict::Won(1)
            } else {
                before(search.verdict(after.own, after.other, depth - 1))
            };
        }
        if stop.is_raised() {
            return None;
        }
        let done = found.iter().all(|(_, verdict)| *verdict != Verdict::Open);
        if search.left == 0 || done {
            break;
        }
    }
    Some(found)
}

/// What a position is worth to the one who moved there.
const fn before(after: Verdict) -> Verdict {
    match after {
        Verdict::Won(plies) => Verdict::Lost(plies + 1),
        Verdict::Lost(plies) => Verdict::Won(plies + 1),
        Verdict::Drawn | Verdict::Open => after,
    }
}

struct Search<'a> {
    game: &'a Trilobite,
    /// What is known of a position, and at what depth it was open.
    known: HashMap<(Chips, Chips), (Verdict, u32)>,
    left: u64,
    stop: &'a Stop,
}

impl Search<'_> {
    /// How a position without a line ends within so many plies.
    fn verdict(&mut self, own: Chips, other: Chips, depth: u32) -> Verdict {
        let landings = self.game.landings(own | other);
        if landings == 0 {
            return Verdict::Drawn;
        }
        if depth == 0 || self.left == 0 {
            return Verdict::Open;
        }
        if completing(self.game, own) & landings != 0 {
            return Verdict::Won(1);
        }
        if let Some(&(verdict, searched)) = self.known.get(&(own, other))
            && (verdict != Verdict::Open || searched >= depth)
        {
            return verdict;
        }
        self.left -= 1;
        if self.left.is_multiple_of(4096) && self.stop.is_raised() {
            self.left = 0;
        }
        let forced = completing(self.game, other) & landings;
        let replies = if forced == 0 { landings } else { forced };
        let verdict = if forced.count_ones() > 1 {
            Verdict::Lost(2)
        } else {
            self.best(own, other, replies, depth)
        };
        // What was cut short by the budget is no knowledge of this depth.
        if verdict != Verdict::Open || self.left > 0 {
            self.known.insert((own, other), (verdict, depth));
        }
        verdict
    }

    fn best(&mut self, own: Chips, other: Chips, replies: Chips, depth: u32) -> Verdict {
        let (mut shortest, mut longest) = (None, 0);
        let (mut is_open, mut is_drawn) = (false, false);
        for bit in bits_of(replies) {
            // After a win only shorter ones matter.
            let within = shortest.map_or(depth, |plies: u32| plies.saturating_sub(2).min(depth));
            if within == 0 {
                break;
            }
            match before(self.verdict(other, own | 1 << bit, within - 1)) {
                Verdict::Won(plies) => {
                    shortest = Some(shortest.map_or(plies, |best: u32| best.min(plies)));
                }
                Verdict::Lost(plies) => longest = longest.max(plies),
                Verdict::Drawn => is_drawn = true,
                Verdict::Open => is_open = true,
            }
        }
        if let Some(plies) = shortest {
            return Verdict::Won(plies);
        }
        match (is_open, is_drawn) {
            (true, _) => Verdict::Open,
            (false, true) => Verdict::Drawn,
            (false, false) => Verdict::Lost(longest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the plain search of the rules finds, without any table or shortcut.
    fn plainly(game: &Trilobite, position: &Position) -> Verdict {
        if position.is_lost {
            return Verdict::Lost(0);
        }
        let replies = game
            .actions(position)
            .map(|column| before(plainly(game, &game.play(position, column, ()))));
        let replies: Vec<Verdict> = replies.collect();
        let won = replies.iter().filter_map(|verdict| match verdict {
            Verdict::Won(plies) => Some(*plies),
            _ => None,
        });
        if let Some(plies) = won.min() {
            return Verdict::Won(plies);
        }
        if replies.is_empty() || replies.contains(&Verdict::Drawn) {
            return Verdict::Drawn;
        }
        let lost = replies.iter().map(|verdict| match verdict {
            Verdict::Lost(plies) => *plies,
            _ => 0,
        });
        Verdict::Lost(lost.max().unwrap_or(0))
    }

    #[test]
    fn proofs_are_what_the_plain_search_finds() {
        for (width, height, win, columns) in [
            (3, 3, 3, ""),
            (4, 3, 3, ""),
            (4, 4, 3, "1122"),
            (5, 3, 3, "2211"),
            (4, 4, 4, "12121331"),
        ] {
            let game = Trilobite::new(width, height, win).expect("a possible game");
            let position = game.from_columns(columns).expect("a possible position");
            let all = game.actions(&position);
            let found = proofs(&game, &position, all, u64::MAX, &Stop::new());
            for (column, verdict) in found.expect("nobody stops it") {
                let after = game.play(&position, column, ());
                let expected = before(plainly(&game, &after));
                assert_eq!(verdict, expected, "{width}×{height}, {columns}, {column}");
            }
        }
    }
}
