//! The book's two-ply expectimax in single precision, for the rules with dice.
//!
//! The result equals that of the reference [`super::expectimax_f32`] bit for bit. The positions of the second
//! ply are not created: an attack changes two hexes, so each leaf's score follows from sets of hexes that are
//! computed once per parent. The order of the second ply's actions does not matter, because only the best value
//! is used.

use super::super::action::{Action, Outcome};
use super::super::board::{Hex, HexAdjacency, MAX_DICE, MAX_HEXES, iter_hexes, lowest_hexes};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::rounded_win_probability_f32;
use super::score::score;
use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::search::SearchResult;

/// Rates the mover's actions.
pub(super) fn analyse(game: &DiceOfDoom, position: &Position) -> SearchResult<Action> {
    let mut search = TwoPlySearch {
        game,
        map: game.map(),
        player: position.player(),
        cluster: game.largest_cluster(position, position.player()),
        nodes: 1,
        sources: [AttackSource::default(); MAX_HEXES],
    };
    let mut ratings = Vec::with_capacity(32);
    let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
    for action in game.legal_actions(position) {
        let value = f64::from(search.action_value(position, action));
        if value > best {
            (best, chosen) = (value, Some(ratings.len()));
        }
        ratings.push((action, value));
    }
    SearchResult {
        ratings,
        chosen,
        nodes: search.nodes,
    }
}

struct TwoPlySearch<'g> {
    game: &'g DiceOfDoom,
    map: &'static HexAdjacency,
    /// The player to maximise for: the mover at the root.
    player: Player,
    /// The size of the player's largest cluster at the root.
    cluster: u32,
    nodes: u64,
    /// The attackers of the current position; entries of other hexes are stale.
    sources: [AttackSource; MAX_HEXES],
}

/// A hex that can attack.
#[derive(Clone, Copy, Default)]
struct AttackSource {
    dice: u8,
    /// The score after any lost attack from this hex.
    score_after_loss: f32,
}

impl TwoPlySearch<'_> {
    fn action_value(&mut self, root: &Position, action: Action) -> f32 {
        let after = |outcome| self.game.apply(root, action, outcome);
        match action {
            Action::EndTurn => self.opponent_turn_value(&after(Outcome::Certain)),
            Action::Attack { from, to } => {
                let odds = rounded_win_probability_f32(root.dice(from), root.dice(to));
                let (won, lost) = (after(Outcome::Won), after(Outcome::Lost));
                // A captured hex joins the adjacent clusters and leaves the others unchanged.
                let own = won.cells.owned_by(self.player);
                let joined = self.map.flood_fill(to.bit(), own).count_ones();
                let won = self.own_turn_value(&won, self.cluster.max(joined));
                let lost = self.own_turn_value(&lost, self.cluster);
                expected_value(odds, won, lost)
            }
        }
    }

    /// The value of a position after an attack of the player, whose turn continues and who may pass.
    fn own_turn_value(&mut self, position: &Position, cluster: u32) -> f32 {
        if self.game.is_over(position) {
            return self.leaf_value(position);
        }
        let turn = OwnTurn::from_position(self.game, position, self.player);
        let hexes = turn.own.count_ones();
        let mut best = self.score_from_counts(hexes, turn.threatened_after_pass(cluster));
        for source in iter_hexes(turn.attackers) {
            self.sources[source.index()] = AttackSource {
                dice: dice_at(turn.thermometer, source),
                score_after_loss: self.score_from_counts(hexes, turn.threatened_after_loss(source)),
            };
        }
        let mut attacks = 0;
        for target in iter_hexes(turn.foreign & self.map.adjacent_hexes(turn.attackers)) {
            let dice = dice_at(turn.thermometer, target);
            let captured = turn.without_target(target, dice);
            for source in iter_hexes(self.map.neighbour_set(target) & turn.attackers) {
                let AttackSource {
                    dice: attack,
                    score_after_loss: lost,
                } = self.sources[source.index()];
                let won = self.score_from_counts(
                    hexes + 1,
                    turn.threatened_after_win(&captured, source, attack),
                );
                let value = expected_value(rounded_win_probability_f32(attack, dice), won, lost);
                if value > best {
                    best = value;
                }
                attacks += 1;
            }
        }
        self.nodes += 2 + 2 * attacks;
        best
    }

    /// The value of a position in which an opponent starts a turn.
    fn opponent_turn_value(&mut self, position: &Position) -> f32 {
        if self.game.is_over(position) {
            return self.leaf_value(position);
        }
        let map = self.map;
        let thermometer = position.cells.thermometer_sets(self.game.max_dice());
        let own = position.cells.owned_by(self.player);
        let theirs = position.cells.owned_by(position.player());
        let foreign = map.all & !own;
        let hexes = own.count_ones();
        let mut threats = Threats::default();
        for &mark in thermometer {
            threats.add_threats(map.shifted(foreign & mark), own & !mark);
        }
        let threats = threats.to_counts();
        let count = threats.at_least_one.count_ones();
        // The player's hexes that `dice` dice on `hex` would threaten.
        let weaker_around =
            |hex: Hex, dice| map.neighbour_set(hex) & own & !hexes_with_at_least(thermometer, dice);

        self.nodes += 1;
        let mut best = f32::INFINITY;
        if self.game.can_pass(position) {
            let passed = self.game.apply(position, Action::EndTurn, Outcome::Certain);
            best = self.leaf_value(&passed);
        }
        for source in iter_hexes(theirs & thermometer[0] & map.adjacent_hexes(map.all & !theirs)) {
            let attack = dice_at(thermometer, source);
            let by_source = weaker_around(source, attack);
            let freed = (by_source & threats.exactly_one()).count_ones();
            let lost = self.score_from_counts(hexes, count - freed);
            for target in iter_hexes(map.neighbour_set(source) & !theirs) {
                let dice = dice_at(thermometer, target);
                let by_target = if own & target.bit() == 0 {
                    weaker_around(target, dice)
                } else {
                    0
                };
                // A hex threatened only by these two is freed if both are. Omitting this term would not change
                // the result, because the source could attack that hex itself, which is worse; but with it each
                // leaf is exact.
                let freed = (by_source | by_target) & threats.exactly_one()
                    | by_source & by_target & threats.exactly_two();
                let threatened = threats.at_least_one & !freed & !target.bit()
                    | weaker_around(target, attack - 1);
                let left = hexes - contains(own, target);
                let won = self.score_from_counts(left, threatened.count_ones());
                let value = expected_value(rounded_win_probability_f32(attack, dice), won, lost);
                if value < best {
                    best = value;
                }
                self.nodes += 2;
            }
        }
        best
    }

    fn leaf_value(&mut self, position: &Position) -> f32 {
        self.nodes += 1;
        score(self.game, position, self.player) as f32
    }

    /// The [`score`] for this number of own hexes, of which `threatened` are threatened.
    fn score_from_counts(&self, hexes: u32, threatened: u32) -> f32 {
        (3 * hexes as i32 - threatened as i32 - i32::from(self.game.hexes())) as f32
    }
}

/// A position in which the player may attack, as sets of hexes from which the number of threatened hexes after
/// each action follows.
struct OwnTurn<'p> {
    map: &'static HexAdjacency,
    thermometer: &'p [u64],
    own: u64,
    foreign: u64,
    attackers: u64,
    /// `reached[k]`: the hexes that touch a foreign hex with at least k dice.
    reached: [u64; MAX_DICE as usize + 1],
    /// The directions from which the player's hexes are threatened, and from which they would be with one die
    /// each.
    threats: ThreatCounts,
    one_die_threats: ThreatCounts,
}

/// A foreign hex captured by an attack, independent of the source.
struct CapturedTarget {
    target: Hex,
    /// The hexes that are still threatened without it.
    threatened: u64,
    count: u32,
    /// The hexes that would be threatened without it if they had one die.
    threatened_with_one_die: u64,
}

impl<'p> OwnTurn<'p> {
    #[inline]
    fn from_position(game: &DiceOfDoom, position: &'p Position, player: Player) -> Self {
        let map = game.map();
        let thermometer = position.cells.thermometer_sets(game.max_dice());
        let own = position.cells.owned_by(player);
        let foreign = map.all & !own;
        let mut threats = Threats::default();
        let mut reached = [0; MAX_DICE as usize + 1];
        for (reached, &mark) in reached[2..].iter_mut().zip(thermometer) {
            let stronger = map.shifted(foreign & mark);
            *reached = stronger.into_iter().fold(0, |any, moved| any | moved);
            threats.add_threats(stronger, own & !mark);
        }
        let mut threats_to_one = Threats::default();
        threats_to_one.add_threats(map.shifted(foreign & thermometer[0]), own);
        OwnTurn {
            map,
            thermometer,
            own,
            foreign,
            attackers: own & thermometer[0] & map.adjacent_hexes(foreign),
            reached,
            threats: threats.to_counts(),
            one_die_threats: threats_to_one.to_counts(),
        }
    }

    /// The lowest hexes that are not full get one die each.
    #[inline]
    fn threatened_after_pass(&self, cluster: u32) -> u32 {
        let full = self.thermometer[self.thermometer.len() - 1];
        let grown = lowest_hexes(cluster, self.own & !full);
        let (mut threatened, mut below) = (0, self.own);
        for (&mark, &reached) in self.thermometer.iter().zip(&self.reached[2..]) {
            threatened |= self.own & reached & !(mark | grown & below);
            below = mark;
        }
        threatened.count_ones()
    }

    /// The source keeps one die.
    #[inline]
    fn threatened_after_loss(&self, source: Hex) -> u32 {
        let threatened = self.threats.at_least_one;
        threatened.count_ones() - contains(threatened, source)
            + contains(self.one_die_threats.at_least_one, source)
    }

    #[inline]
    fn without_target(&self, target: Hex, dice: u8) -> CapturedTarget {
        let weaker = self.map.neighbour_set(target) & !hexes_with_at_least(self.thermometer, dice);
        // Hexes threatened only by the target become safe.
        let threatened = self.threats.at_least_one & !(weaker & self.threats.exactly_one());
        CapturedTarget {
            target,
            threatened,
            count: threatened.count_ones(),
            threatened_with_one_die: if dice == 1 {
                self.one_die_threats.at_least_one
            } else {
                self.one_die_threats.at_least_two
            },
        }
    }

    /// The source keeps one die, and the rest of its dice move to the target.
    #[inline]
    fn threatened_after_win(&self, captured: &CapturedTarget, source: Hex, attack: u8) -> u32 {
        captured.count - contains(captured.threatened, source)
            + contains(captured.threatened_with_one_die, source)
            + contains(self.reached[usize::from(attack)], captured.target)
    }
}

/// The expected value of an attack, with the rounding of the reference.
fn expected_value(odds: f32, won: f32, lost: f32) -> f32 {
    odds * won + (1.0 - odds) * lost
}

/// 1 if the set contains the hex, otherwise 0.
fn contains(set: u64, hex: Hex) -> u32 {
    (set >> hex.number() & 1) as u32
}

/// The hexes with at least the given number of dice, 1 to the maximum of the game.
fn hexes_with_at_least(thermometer: &[u64], dice: u8) -> u64 {
    if dice == 1 {
        u64::MAX
    } else {
        thermometer[usize::from(dice) - 2]
    }
}

fn dice_at(thermometer: &[u64], hex: Hex) -> u8 {
    1 + thermometer
        .iter()
        .map(|&mark| contains(mark, hex) as u8)
        .sum::<u8>()
}

/// The hexes threatened from each of the six directions.
#[derive(Default)]
struct Threats([u64; 6]);

impl Threats {
    /// Adds threats to `weaker` by hexes with strictly more dice, shifted into each direction.
    fn add_threats(&mut self, stronger: [u64; 6], weaker: u64) {
        for (threatened, stronger) in self.0.iter_mut().zip(stronger) {
            *threatened |= stronger & weaker;
        }
    }

    fn to_counts(&self) -> ThreatCounts {
        let mut counted = ThreatCounts::default();
        for threatened in self.0 {
            counted.at_least_three |= counted.at_least_two & threatened;
            counted.at_least_two |= counted.at_least_one & threatened;
            counted.at_least_one |= threatened;
        }
        counted
    }
}

/// The hexes threatened from at least one, two and three directions.
#[derive(Default)]
struct ThreatCounts {
    at_least_one: u64,
    at_least_two: u64,
    at_least_three: u64,
}

impl ThreatCounts {
    fn exactly_one(&self) -> u64 {
        self.at_least_one & !self.at_least_two
    }

    fn exactly_two(&self) -> u64 {
        self.at_least_two & !self.at_least_three
    }
}
