//! Handcrafted features: a few numbers per player, each about 0..=1 on a board of any side.
//!
//! These features were also tried and gained nothing: the border and the dice on it, the hexes that could be
//! attacked with more dice, and squares of the lead.

use super::super::board::{Cells, Rhombus};
use super::super::position::Position;
use super::super::preset::Combat;
use super::super::rules::DiceOfDoom;
use dice_of_doom_core::game::{MAX_PLAYERS, Player};

/// The number of features per player.
pub const COUNT: usize = 16;

/// The features of one player, in the order of [`NAMES`].
pub type Features = [f32; COUNT];

/// The names of the features. Numbers of hexes are fractions of the board; numbers of dice are fractions of a
/// full board.
pub const NAMES: [&str; COUNT] = [
    "hexes",
    "dice",
    "cluster",
    "gain",
    "full",
    "threatened",
    "attackers",
    "few attackers",
    "no attacker",
    "lead",
    "leads",
    "lead, next is stuck",
    "leads, next is stuck",
    "lead, one is stuck",
    "leads, one is stuck",
    "hexes, one is stuck",
];

/// The number of a player's own features, which come first. The others compare the players.
pub(super) const OWN_COUNT: usize = 9;

/// The index of the only own feature that also depends on hexes adjacent to the player's.
pub(super) const THREATENED: usize = 5;

/// The second half of the features, which compare the players; the first of them is an own feature and is 0
/// here.
pub(super) type ComparisonFeatures = [f32; COUNT / 2];

/// The features of all players; 0 for players not in the game.
#[must_use]
pub fn features_of_position(game: &DiceOfDoom, position: &Position) -> [Features; MAX_PLAYERS] {
    let counted = CountedFeatures::from_position(game, position);
    let mut features = [[0.0; COUNT]; MAX_PLAYERS];
    let comparison = counted.standings.compare(game, position.player());
    for player in Player::all(game.players()) {
        let index = usize::from(player.number());
        let comparison_features = comparison.features_of(player);
        features[index][..OWN_COUNT].copy_from_slice(&counted.own_features[index]);
        features[index][OWN_COUNT..].copy_from_slice(&comparison_features[OWN_COUNT - COUNT / 2..]);
    }
    features
}

/// The features of a position, stored so that after a ply only the changes are recomputed.
#[derive(Clone)]
pub(super) struct CountedFeatures {
    cells: Cells,
    clusters: [u32; MAX_PLAYERS],
    pub(super) own_features: [[f32; OWN_COUNT]; MAX_PLAYERS],
    pub(super) standings: PlayerStandings,
}

impl CountedFeatures {
    /// Computes all features.
    pub(super) fn from_position(game: &DiceOfDoom, position: &Position) -> Self {
        match game.side() {
            2 => CountedFeatures::count_on_side::<2>(game, position),
            3 => CountedFeatures::count_on_side::<3>(game, position),
            4 => CountedFeatures::count_on_side::<4>(game, position),
            5 => CountedFeatures::count_on_side::<5>(game, position),
            6 => CountedFeatures::count_on_side::<6>(game, position),
            7 => CountedFeatures::count_on_side::<7>(game, position),
            _ => CountedFeatures::count_on_side::<8>(game, position),
        }
    }

    fn count_on_side<const SIDE: u32>(game: &DiceOfDoom, position: &Position) -> Self {
        let mut counted = CountedFeatures {
            cells: position.cells,
            clusters: [0; MAX_PLAYERS],
            own_features: [[0.0; OWN_COUNT]; MAX_PLAYERS],
            standings: PlayerStandings::default(),
        };
        for player in Player::all(game.players()) {
            let own = position.cells.owned_by(player);
            let cluster = Rhombus::<SIDE>::largest_cluster(own);
            let holding = PlayerFeatures::from_position::<SIDE>(game, position, player, cluster);
            let index = usize::from(player.number());
            counted.clusters[index] = cluster;
            counted.own_features[index] = holding.features;
            counted.standings.set_features(player, &holding);
        }
        counted
    }

    /// Calls `report` for each player whose own features may differ in a position one ply later.
    #[inline]
    pub(super) fn for_each_change(
        &self,
        game: &DiceOfDoom,
        after: &Position,
        report: impl FnMut(Player, FeatureChange),
    ) {
        match game.side() {
            2 => self.for_each_change_on_side::<2>(game, after, report),
            3 => self.for_each_change_on_side::<3>(game, after, report),
            4 => self.for_each_change_on_side::<4>(game, after, report),
            5 => self.for_each_change_on_side::<5>(game, after, report),
            6 => self.for_each_change_on_side::<6>(game, after, report),
            7 => self.for_each_change_on_side::<7>(game, after, report),
            _ => self.for_each_change_on_side::<8>(game, after, report),
        }
    }

    #[inline]
    fn for_each_change_on_side<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        after: &Position,
        mut report: impl FnMut(Player, FeatureChange),
    ) {
        // With `MoreDice` combat, attackers also depend on adjacent hexes, and the gain on the dice captured in
        // the turn, so everything is recomputed.
        let is_rolled = game.rules().combat() == Combat::Rolled;
        let changed = if is_rolled {
            after.cells.changed_since(&self.cells)
        } else {
            Rhombus::<SIDE>::ALL
        };
        let near = changed | Rhombus::<SIDE>::adjacent_hexes(changed);
        let marks = after.cells.thermometer_sets(game.max_dice());
        for player in Player::all(game.players()) {
            let (before, own) = (self.cells.owned_by(player), after.cells.owned_by(player));
            if (before | own) & changed != 0 {
                let cluster = if before == own {
                    self.clusters[usize::from(player.number())]
                } else {
                    Rhombus::<SIDE>::largest_cluster(own)
                };
                let holding = PlayerFeatures::from_position::<SIDE>(game, after, player, cluster);
                report(player, FeatureChange::Holding(holding));
            } else if own & near != 0 {
                let threatened = threatened::<SIDE>(own, marks).count_ones();
                report(
                    player,
                    FeatureChange::Threatened(threatened as f32 * per_hex::<SIDE>()),
                );
            }
        }
    }
}

/// The change of a player's own features by one ply.
pub(super) enum FeatureChange {
    /// All own features, recomputed.
    Holding(PlayerFeatures),
    /// The new value of the feature at [`THREATENED`]; the others are unchanged.
    Threatened(f32),
}

/// One player's own features, and the counts needed for comparison.
pub(super) struct PlayerFeatures {
    pub(super) features: [f32; OWN_COUNT],
    hexes: u32,
    attackers: u32,
}

impl PlayerFeatures {
    #[inline]
    fn from_position<const SIDE: u32>(
        game: &DiceOfDoom,
        position: &Position,
        player: Player,
        cluster: u32,
    ) -> Self {
        let max_dice = game.max_dice();
        let is_rolled = game.rules().combat() == Combat::Rolled;
        let marks = position.cells.thermometer_sets(max_dice);
        let own = position.cells.owned_by(player);
        let foreign = Rhombus::<SIDE>::ALL & !own;
        let hexes = own.count_ones();
        let more = marks.iter().map(|mark| (own & mark).count_ones());
        let dice = hexes + more.sum::<u32>();
        let threatened = threatened::<SIDE>(own, marks).count_ones();
        let attackers = if is_rolled {
            own & marks[0] & Rhombus::<SIDE>::adjacent_hexes(foreign)
        } else {
            stronger_neighbours::<SIDE>(own, marks)
        };
        let attackers = attackers.count_ones();
        let due = match (is_rolled, player == position.player()) {
            (true, _) => cluster,
            (false, true) => u32::from(position.spare().saturating_sub(1)),
            (false, false) => 0,
        };
        let gain = due.min(hexes * u32::from(max_dice) - dice);
        let full = own & marks[marks.len() - 1];
        let per_hex = per_hex::<SIDE>();
        let per_die = per_hex / f32::from(max_dice);
        PlayerFeatures {
            features: [
                hexes as f32 * per_hex,
                dice as f32 * per_die,
                cluster as f32 * per_hex,
                gain as f32 * per_hex,
                full.count_ones() as f32 * per_hex,
                threatened as f32 * per_hex,
                attackers as f32 * per_hex,
                INVERSE[attackers as usize],
                indicator(attackers == 0),
            ],
            hexes,
            attackers,
        }
    }
}

/// One hex as a fraction of the board.
const fn per_hex<const SIDE: u32>() -> f32 {
    1.0 / (SIDE * SIDE) as f32
}

/// The hexes of a player that touch a foreign hex with more dice.
#[inline]
fn threatened<const SIDE: u32>(own: u64, marks: &[u64]) -> u64 {
    let foreign = Rhombus::<SIDE>::ALL & !own;
    marks.iter().fold(0, |threatened, &mark| {
        threatened | own & !mark & Rhombus::<SIDE>::adjacent_hexes(foreign & mark)
    })
}

/// The hexes of a player that touch a foreign hex with fewer dice.
#[inline]
fn stronger_neighbours<const SIDE: u32>(own: u64, marks: &[u64]) -> u64 {
    let foreign = Rhombus::<SIDE>::ALL & !own;
    marks.iter().fold(0, |attackers, &mark| {
        attackers | own & mark & Rhombus::<SIDE>::adjacent_hexes(foreign & !mark)
    })
}

/// The number of hexes of each player, and how close each is to having no attack. A player without an attack
/// ends the game, and the leader then wins.
#[derive(Clone, Copy, Default)]
pub(super) struct PlayerStandings {
    hexes: [u32; MAX_PLAYERS],
    /// How close a player is to having no attack, 0..=1.
    stuck: [f32; MAX_PLAYERS],
}

impl PlayerStandings {
    /// Updates the entry of a player.
    #[inline]
    pub(super) fn set_features(&mut self, player: Player, holding: &PlayerFeatures) {
        let (index, attackers) = (usize::from(player.number()), holding.attackers as usize);
        self.hexes[index] = holding.hexes;
        self.stuck[index] = INVERSE[attackers] * INVERSE[attackers];
    }

    /// Compares the players.
    // Always inlined: otherwise some binaries contain a call here and search 10% slower (`cargo bench --bench
    // search -- puct`).
    #[inline(always)]
    pub(super) fn compare(&self, game: &DiceOfDoom, mover: Player) -> Comparison {
        let next_is_stuck = self.stuck[usize::from(mover.next(game.players()).number())];
        // Players not in the game count as having no hexes and not being stuck.
        let mut one_is_stuck = 0.0_f32;
        let (mut most, mut second) = (0, 0);
        for index in 0..MAX_PLAYERS {
            if index != usize::from(mover.number()) {
                one_is_stuck = one_is_stuck.max(self.stuck[index]);
            }
            second = second.max(self.hexes[index].min(most));
            most = most.max(self.hexes[index]);
        }
        Comparison {
            hexes: self.hexes,
            most,
            second,
            next_is_stuck,
            one_is_stuck,
            per_hex: 1.0 / f32::from(game.hexes()),
        }
    }
}

/// The comparison of the players of a position.
pub(super) struct Comparison {
    hexes: [u32; MAX_PLAYERS],
    /// The maximum number of hexes of any player.
    most: u32,
    /// The second largest number of hexes.
    second: u32,
    next_is_stuck: f32,
    one_is_stuck: f32,
    per_hex: f32,
}

impl Comparison {
    /// The features that compare a player with the others.
    #[inline]
    pub(super) fn features_of(&self, player: Player) -> ComparisonFeatures {
        let hexes = self.hexes[usize::from(player.number())];
        let best_other = if hexes == self.most {
            self.second
        } else {
            self.most
        };
        let lead = (hexes as i32 - best_other as i32) as f32 * self.per_hex;
        let leads = indicator(hexes >= best_other);
        let board_fraction = hexes as f32 * self.per_hex;
        let (next, one) = (self.next_is_stuck, self.one_is_stuck);
        let pairs = [0.0, lead, leads, lead, leads, lead, leads, board_fraction];
        let by_stuck = [1.0, 1.0, 1.0, next, next, one, one, one];
        std::array::from_fn(|at| pairs[at] * by_stuck[at])
    }
}

#[inline]
fn indicator(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

/// 1 / (1 + n).
static INVERSE: [f32; 65] = {
    let mut inverse = [1.0; 65];
    let mut n = 0;
    while n < inverse.len() {
        inverse[n] = 1.0 / (1 + n) as f32;
        n += 1;
    }
    inverse
};
