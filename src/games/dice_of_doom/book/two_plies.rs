//! The book's expectimax two plies deep, in single precision, for the rules that roll dice.
//!
//! Bit for bit what [`super::single_precision`] finds at this depth, which stays the reference. The
//! positions of the second ply are not made: an attack changes two hexes, so what each leaf scores
//! follows from sets of hexes that are worked out once for all actions of its parent. The order of
//! those actions does not matter there, since only the best value goes up.

use super::super::board::{Hex, MOST_DICE, MOST_HEXES, Map, hexes_of, lowest};
use super::super::evaluate::score;
use super::super::position::Position;
use super::super::rules::{Action, DiceOfDoom, Outcome};
use super::rounded_odds_single;
use crate::game::{Game, Player};
use crate::search::Analysis;

/// How the mover's actions are rated.
pub(super) fn analyse(game: &DiceOfDoom, position: &Position) -> Analysis<Action> {
    let mut search = Search {
        game,
        map: game.map(),
        player: position.player(),
        cluster: game.largest_cluster(position, position.player()),
        nodes: 1,
        sources: [Source::default(); MOST_HEXES],
    };
    let mut ratings = Vec::with_capacity(32);
    let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
    for action in game.actions(position) {
        let value = f64::from(search.rate(position, action));
        if value > best {
            (best, chosen) = (value, Some(ratings.len()));
        }
        ratings.push((action, value));
    }
    Analysis {
        ratings,
        chosen,
        nodes: search.nodes,
    }
}

struct Search<'g> {
    game: &'g DiceOfDoom,
    map: &'static Map,
    /// Whose score is looked for: the mover of the root.
    player: Player,
    /// The size of the player's largest cluster at the root.
    cluster: u32,
    nodes: u64,
    /// What is known of each attacker at the position looked at; elsewhere left from another one.
    sources: [Source; MOST_HEXES],
}

/// A hex that can attack.
#[derive(Clone, Copy, Default)]
struct Source {
    dice: u8,
    /// What the board scores after any attack from here was lost.
    lost: f32,
}

impl Search<'_> {
    fn rate(&mut self, root: &Position, action: Action) -> f32 {
        let after = |outcome| self.game.play(root, action, outcome);
        match action {
            Action::EndTurn => self.on_others_turn(&after(Outcome::Sure)),
            Action::Attack { from, to } => {
                let odds = rounded_odds_single(root.dice(from), root.dice(to));
                let (won, lost) = (after(Outcome::Won), after(Outcome::Lost));
                // A hex won joins the clusters around it and leaves all others as they were.
                let own = won.cells.owned_by(self.player);
                let joined = self.map.grown(to.bit(), own).count_ones();
                let won = self.on_own_turn(&won, self.cluster.max(joined));
                let lost = self.on_own_turn(&lost, self.cluster);
                expected(odds, won, lost)
            }
        }
    }

    /// The value of a position after an attack of the player, who goes on and may pass.
    fn on_own_turn(&mut self, position: &Position, cluster: u32) -> f32 {
        if self.game.is_over(position) {
            return self.leaf(position);
        }
        let map = self.map;
        let marks = position.cells.marks(self.game.max_dice());
        let own = position.cells.owned_by(self.player);
        let foreign = map.all & !own;
        let hexes = own.count_ones();
        let mut threats = Threats::default();
        // `reached[k]`: what touches a foreign hex with at least k dice.
        let mut reached = [0; MOST_DICE as usize + 1];
        for (reached, &mark) in reached[2..].iter_mut().zip(marks) {
            let stronger = map.moved(foreign & mark);
            *reached = stronger.into_iter().fold(0, |any, moved| any | moved);
            threats.add(stronger, own & !mark);
        }
        let threats = threats.counted();
        // What threatens hexes that an attack leaves with one die.
        let mut threats_to_one = Threats::default();
        threats_to_one.add(map.moved(foreign & marks[0]), own);
        let threats_to_one = threats_to_one.counted();

        let mut best = {
            let full = position.cells.at_least(self.game.max_dice());
            let grown = lowest(cluster, own & !full);
            let (mut threatened, mut below) = (0, own);
            for (&mark, &reached) in marks.iter().zip(&reached[2..]) {
                threatened |= own & reached & !(mark | grown & below);
                below = mark;
            }
            self.score(hexes, threatened.count_ones())
        };

        let attackers = own & marks[0] & map.around(foreign);
        let count = threats.any.count_ones();
        for source in hexes_of(attackers) {
            let left = count - has(threats.any, source) + has(threats_to_one.any, source);
            self.sources[source.index()] = Source {
                dice: dice_at(marks, source),
                lost: self.score(hexes, left),
            };
        }
        let mut attacks = 0;
        for target in hexes_of(foreign & map.around(attackers)) {
            let around = map.touching(target);
            let dice = dice_at(marks, target);
            let weaker = own & !at_least(marks, dice);
            // Whom the target alone threatened is safe once it is won.
            let threatened = threats.any & !(around & weaker & threats.once());
            let count = threatened.count_ones();
            let exposed = if dice == 1 {
                threats_to_one.any
            } else {
                threats_to_one.many
            };
            for source in hexes_of(around & attackers) {
                let Source { dice: attack, lost } = self.sources[source.index()];
                let taken = has(reached[usize::from(attack)], target);
                let left = count - has(threatened, source) + has(exposed, source) + taken;
                let won = self.score(hexes + 1, left);
                let value = expected(rounded_odds_single(attack, dice), won, lost);
                if value > best {
                    best = value;
                }
                attacks += 1;
            }
        }
        self.nodes += 2 + 2 * attacks;
        best
    }

    /// The value of a position where somebody else begins a turn.
    fn on_others_turn(&mut self, position: &Position) -> f32 {
        if self.game.is_over(position) {
            return self.leaf(position);
        }
        let map = self.map;
        let marks = position.cells.marks(self.game.max_dice());
        let own = position.cells.owned_by(self.player);
        let theirs = position.cells.owned_by(position.player());
        let foreign = map.all & !own;
        let hexes = own.count_ones();
        let mut threats = Threats::default();
        for &mark in marks {
            threats.add(map.moved(foreign & mark), own & !mark);
        }
        let threats = threats.counted();
        let count = threats.any.count_ones();
        // The own hexes that would be threatened by so many dice on a hex.
        let weaker_around = |hex: Hex, dice| map.touching(hex) & own & !at_least(marks, dice);

        self.nodes += 1;
        let mut best = f32::INFINITY;
        if self.game.may_pass(position) {
            let passed = self.game.play(position, Action::EndTurn, Outcome::Sure);
            best = self.leaf(&passed);
        }
        for source in hexes_of(theirs & marks[0] & map.around(map.all & !theirs)) {
            let attack = dice_at(marks, source);
            let by_source = weaker_around(source, attack);
            let freed = (by_source & threats.once()).count_ones();
            let lost = self.score(hexes, count - freed);
            for target in hexes_of(map.touching(source) & !theirs) {
                let dice = dice_at(marks, target);
                let by_target = if own & target.bit() == 0 {
                    weaker_around(target, dice)
                } else {
                    0
                };
                let freed = (by_source | by_target) & threats.once()
                    | by_source & by_target & threats.twice();
                let threatened =
                    threats.any & !freed & !target.bit() | weaker_around(target, attack - 1);
                let left = hexes - has(own, target);
                let won = self.score(left, threatened.count_ones());
                let value = expected(rounded_odds_single(attack, dice), won, lost);
                if value < best {
                    best = value;
                }
                self.nodes += 2;
            }
        }
        best
    }

    fn leaf(&mut self, position: &Position) -> f32 {
        self.nodes += 1;
        score(self.game, position, self.player) as f32
    }

    /// What [`score`] says of so many hexes, of which so many are threatened.
    fn score(&self, hexes: u32, threatened: u32) -> f32 {
        (3 * hexes as i32 - threatened as i32 - i32::from(self.game.hexes())) as f32
    }
}

/// The value of an attack, rounded as the reference rounds it.
fn expected(odds: f32, won: f32, lost: f32) -> f32 {
    odds * won + (1.0 - odds) * lost
}

/// 1 if the set holds the hex, else 0.
fn has(set: u64, hex: Hex) -> u32 {
    (set >> hex.number() & 1) as u32
}

/// Where at least so many dice stand, 1 to the most of the game.
fn at_least(marks: &[u64], dice: u8) -> u64 {
    if dice == 1 {
        u64::MAX
    } else {
        marks[usize::from(dice) - 2]
    }
}

fn dice_at(marks: &[u64], hex: Hex) -> u8 {
    1 + marks.iter().map(|&mark| has(mark, hex) as u8).sum::<u8>()
}

/// For each of the six directions, the hexes threatened from there.
#[derive(Default)]
struct Threats([u64; 6]);

impl Threats {
    /// Hexes with strictly more dice, moved into each direction, threaten these.
    fn add(&mut self, stronger: [u64; 6], weaker: u64) {
        for (threatened, stronger) in self.0.iter_mut().zip(stronger) {
            *threatened |= stronger & weaker;
        }
    }

    fn counted(&self) -> Counted {
        let mut counted = Counted::default();
        for threatened in self.0 {
            counted.several |= counted.many & threatened;
            counted.many |= counted.any & threatened;
            counted.any |= threatened;
        }
        counted
    }
}

/// The hexes threatened from at least one, two and three directions.
#[derive(Default)]
struct Counted {
    any: u64,
    many: u64,
    several: u64,
}

impl Counted {
    fn once(&self) -> u64 {
        self.any & !self.many
    }

    fn twice(&self) -> u64 {
        self.many & !self.several
    }
}
