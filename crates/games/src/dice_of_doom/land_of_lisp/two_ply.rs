//! The book's expectimax two plies deep, in single precision, for the rules that roll dice.
//!
//! It finds bit for bit what [`super::single_precision`] finds at this depth, which stays the
//! reference. The positions of the second ply are not made: an attack changes two hexes, so the score
//! of each leaf follows from sets of hexes that are computed once for all actions of its parent. The
//! order of those actions does not matter there, since only the best value is used.

use super::super::action::{Action, Outcome};
use super::super::board::{Hex, HexAdjacency, MOST_DICE, MOST_HEXES, iter_hexes, lowest_hexes};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::rounded_odds_single;
use super::score::score;
use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::search::SearchResult;

/// How the mover's actions are rated.
pub(super) fn analyse(game: &DiceOfDoom, position: &Position) -> SearchResult<Action> {
    let mut search = TwoPlySearch {
        game,
        map: game.map(),
        player: position.player(),
        cluster: game.largest_cluster(position, position.player()),
        nodes: 1,
        sources: [AttackSource::default(); MOST_HEXES],
    };
    let mut ratings = Vec::with_capacity(32);
    let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
    for action in game.legal_actions(position) {
        let value = f64::from(search.rate(position, action));
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
    /// The player whose score is searched: the mover of the root.
    player: Player,
    /// The size of the player's largest cluster at the root.
    cluster: u32,
    nodes: u64,
    /// The attackers of the current position; the entries of other hexes are left from earlier ones.
    sources: [AttackSource; MOST_HEXES],
}

/// A hex that can attack.
#[derive(Clone, Copy, Default)]
struct AttackSource {
    dice: u8,
    /// The score of the board after any attack from here was lost.
    lost: f32,
}

impl TwoPlySearch<'_> {
    fn rate(&mut self, root: &Position, action: Action) -> f32 {
        let after = |outcome| self.game.apply(root, action, outcome);
        match action {
            Action::EndTurn => self.on_others_turn(&after(Outcome::Sure)),
            Action::Attack { from, to } => {
                let odds = rounded_odds_single(root.dice(from), root.dice(to));
                let (won, lost) = (after(Outcome::Won), after(Outcome::Lost));
                // A hex won joins the clusters around it and leaves all others as they were.
                let own = won.cells.owned_by(self.player);
                let joined = self.map.flood_fill(to.bit(), own).count_ones();
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
        let here = OwnTurn::of(self.game, position, self.player);
        let hexes = here.own.count_ones();
        let mut best = self.score(hexes, here.threatened_after_pass(cluster));
        for source in iter_hexes(here.attackers) {
            self.sources[source.index()] = AttackSource {
                dice: dice_at(here.marks, source),
                lost: self.score(hexes, here.threatened_after_loss(source)),
            };
        }
        let mut attacks = 0;
        for target in iter_hexes(here.foreign & self.map.around(here.attackers)) {
            let dice = dice_at(here.marks, target);
            let taken = here.taken(target, dice);
            for source in iter_hexes(self.map.neighbour_set(target) & here.attackers) {
                let AttackSource { dice: attack, lost } = self.sources[source.index()];
                let won = self.score(hexes + 1, here.threatened_after_win(&taken, source, attack));
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
        let marks = position.cells.thermometer_sets(self.game.max_dice());
        let own = position.cells.owned_by(self.player);
        let theirs = position.cells.owned_by(position.player());
        let foreign = map.all & !own;
        let hexes = own.count_ones();
        let mut threats = Threats::default();
        for &mark in marks {
            threats.add(map.shifted(foreign & mark), own & !mark);
        }
        let threats = threats.counted();
        let count = threats.any.count_ones();
        // The player's hexes that so many dice on a hex would threaten.
        let weaker_around = |hex: Hex, dice| map.neighbour_set(hex) & own & !at_least(marks, dice);

        self.nodes += 1;
        let mut best = f32::INFINITY;
        if self.game.may_pass(position) {
            let passed = self.game.apply(position, Action::EndTurn, Outcome::Sure);
            best = self.leaf(&passed);
        }
        for source in iter_hexes(theirs & marks[0] & map.around(map.all & !theirs)) {
            let attack = dice_at(marks, source);
            let by_source = weaker_around(source, attack);
            let freed = (by_source & threats.once()).count_ones();
            let lost = self.score(hexes, count - freed);
            for target in iter_hexes(map.neighbour_set(source) & !theirs) {
                let dice = dice_at(marks, target);
                let by_target = if own & target.bit() == 0 {
                    weaker_around(target, dice)
                } else {
                    0
                };
                // Whom both alone threatened is freed by both. No search would miss this term, as the
                // source may attack that hex itself, which is worse; but so each leaf is exact.
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

/// A position where the player may attack, as sets of hexes; and how many of the player's hexes are
/// threatened after each action.
struct OwnTurn<'p> {
    map: &'static HexAdjacency,
    marks: &'p [u64],
    own: u64,
    foreign: u64,
    attackers: u64,
    /// `reached[k]`: what touches a foreign hex with at least k dice.
    reached: [u64; MOST_DICE as usize + 1],
    /// From where the player's hexes are threatened, and would be if each had one die.
    threats: ThreatCounts,
    threats_to_one: ThreatCounts,
}

/// A foreign hex that an attack takes, whoever attacks it.
struct CapturedTarget {
    target: Hex,
    /// Who stays threatened without it.
    threatened: u64,
    count: u32,
    /// Who is threatened without it by having one die.
    exposed: u64,
}

impl<'p> OwnTurn<'p> {
    #[inline]
    fn of(game: &DiceOfDoom, position: &'p Position, player: Player) -> Self {
        let map = game.map();
        let marks = position.cells.thermometer_sets(game.max_dice());
        let own = position.cells.owned_by(player);
        let foreign = map.all & !own;
        let mut threats = Threats::default();
        let mut reached = [0; MOST_DICE as usize + 1];
        for (reached, &mark) in reached[2..].iter_mut().zip(marks) {
            let stronger = map.shifted(foreign & mark);
            *reached = stronger.into_iter().fold(0, |any, moved| any | moved);
            threats.add(stronger, own & !mark);
        }
        let mut threats_to_one = Threats::default();
        threats_to_one.add(map.shifted(foreign & marks[0]), own);
        OwnTurn {
            map,
            marks,
            own,
            foreign,
            attackers: own & marks[0] & map.around(foreign),
            reached,
            threats: threats.counted(),
            threats_to_one: threats_to_one.counted(),
        }
    }

    /// The lowest hexes that are not full get one die each.
    #[inline]
    fn threatened_after_pass(&self, cluster: u32) -> u32 {
        let full = self.marks[self.marks.len() - 1];
        let grown = lowest_hexes(cluster, self.own & !full);
        let (mut threatened, mut below) = (0, self.own);
        for (&mark, &reached) in self.marks.iter().zip(&self.reached[2..]) {
            threatened |= self.own & reached & !(mark | grown & below);
            below = mark;
        }
        threatened.count_ones()
    }

    /// The source keeps one die.
    #[inline]
    fn threatened_after_loss(&self, source: Hex) -> u32 {
        let threatened = self.threats.any;
        threatened.count_ones() - has(threatened, source) + has(self.threats_to_one.any, source)
    }

    #[inline]
    fn taken(&self, target: Hex, dice: u8) -> CapturedTarget {
        let weaker = self.map.neighbour_set(target) & !at_least(self.marks, dice);
        // Whom the target alone threatened is safe.
        let threatened = self.threats.any & !(weaker & self.threats.once());
        CapturedTarget {
            target,
            threatened,
            count: threatened.count_ones(),
            exposed: if dice == 1 {
                self.threats_to_one.any
            } else {
                self.threats_to_one.many
            },
        }
    }

    /// The source keeps one die, and one die less than it had goes to the target.
    #[inline]
    fn threatened_after_win(&self, taken: &CapturedTarget, source: Hex, attack: u8) -> u32 {
        taken.count - has(taken.threatened, source)
            + has(taken.exposed, source)
            + has(self.reached[usize::from(attack)], taken.target)
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

    fn counted(&self) -> ThreatCounts {
        let mut counted = ThreatCounts::default();
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
struct ThreatCounts {
    any: u64,
    many: u64,
    several: u64,
}

impl ThreatCounts {
    fn once(&self) -> u64 {
        self.any & !self.many
    }

    fn twice(&self) -> u64 {
        self.many & !self.several
    }
}
