//! The features of a position: a few numbers for each player, each about 0..=1 on a board of any side.
//!
//! Other features were tried and gained nothing beside these: the border and the dice on it, the
//! hexes that could be attacked with more dice, squares of the lead.

use super::super::board::{Cells, Rhombus};
use super::super::position::Position;
use super::super::preset::Combat;
use super::super::rules::DiceOfDoom;
use dice_of_doom_core::game::{MAX_PLAYERS, Player};

/// How many features a player has.
pub const COUNT: usize = 16;

/// The features of one player, in the order of [`NAMES`].
pub type Features = [f32; COUNT];

/// The names of the features. Hexes are counted as parts of the board, dice as parts of a full board.
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

/// How many features are a player's own; these come first. The others compare the players.
pub(super) const ALONE: usize = 9;

/// The index of the only own feature that also depends on the hexes beside the player's.
pub(super) const THREATENED: usize = 5;

/// The second half of the features, which compare the players; its first is an own feature and stays 0
/// here.
pub(super) type ComparisonFeatures = [f32; COUNT / 2];

/// The features of every player; all 0 for players whom the game does not have.
#[must_use]
pub fn of(game: &DiceOfDoom, position: &Position) -> [Features; MAX_PLAYERS] {
    let counted = CountedFeatures::of(game, position);
    let mut features = [[0.0; COUNT]; MAX_PLAYERS];
    let comparison = counted.standing.compare(game, position.player());
    for player in Player::all(game.players()) {
        let at = usize::from(player.number());
        let compared = comparison.of(player);
        features[at][..ALONE].copy_from_slice(&counted.alone[at]);
        features[at][ALONE..].copy_from_slice(&compared[ALONE - COUNT / 2..]);
    }
    features
}

/// What was counted on a board, kept so that after a ply only its changes are counted.
#[derive(Clone)]
pub(super) struct CountedFeatures {
    cells: Cells,
    clusters: [u32; MAX_PLAYERS],
    /// Each player's own features.
    pub(super) alone: [[f32; ALONE]; MAX_PLAYERS],
    pub(super) standing: PlayerStandings,
}

impl CountedFeatures {
    /// Counts everything.
    pub(super) fn of(game: &DiceOfDoom, position: &Position) -> Self {
        match game.side() {
            2 => CountedFeatures::on_side::<2>(game, position),
            3 => CountedFeatures::on_side::<3>(game, position),
            4 => CountedFeatures::on_side::<4>(game, position),
            5 => CountedFeatures::on_side::<5>(game, position),
            6 => CountedFeatures::on_side::<6>(game, position),
            7 => CountedFeatures::on_side::<7>(game, position),
            _ => CountedFeatures::on_side::<8>(game, position),
        }
    }

    fn on_side<const SIDE: u32>(game: &DiceOfDoom, position: &Position) -> Self {
        let mut counted = CountedFeatures {
            cells: position.cells,
            clusters: [0; MAX_PLAYERS],
            alone: [[0.0; ALONE]; MAX_PLAYERS],
            standing: PlayerStandings::default(),
        };
        for player in Player::all(game.players()) {
            let own = position.cells.owned_by(player);
            let cluster = Rhombus::<SIDE>::largest_cluster(own);
            let holding = PlayerFeatures::of::<SIDE>(game, position, player, cluster);
            let at = usize::from(player.number());
            counted.clusters[at] = cluster;
            counted.alone[at] = holding.numbers;
            counted.standing.set_features(player, &holding);
        }
        counted
    }

    /// Calls `set_features` for each player whose own features may differ in a position one ply later.
    #[inline]
    pub(super) fn for_each_change(
        &self,
        game: &DiceOfDoom,
        after: &Position,
        tell: impl FnMut(Player, FeatureChange),
    ) {
        match game.side() {
            2 => self.each_change_on_side::<2>(game, after, tell),
            3 => self.each_change_on_side::<3>(game, after, tell),
            4 => self.each_change_on_side::<4>(game, after, tell),
            5 => self.each_change_on_side::<5>(game, after, tell),
            6 => self.each_change_on_side::<6>(game, after, tell),
            7 => self.each_change_on_side::<7>(game, after, tell),
            _ => self.each_change_on_side::<8>(game, after, tell),
        }
    }

    #[inline]
    fn each_change_on_side<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        after: &Position,
        mut tell: impl FnMut(Player, FeatureChange),
    ) {
        // Where more dice win, attackers also depend on the hexes beside the player's, and the gain on
        // what was captured in the turn; so everything is counted again.
        let is_rolled = game.rules().combat() == Combat::Rolled;
        let changed = if is_rolled {
            after.cells.changed_since(&self.cells)
        } else {
            Rhombus::<SIDE>::ALL
        };
        let near = changed | Rhombus::<SIDE>::around(changed);
        let marks = after.cells.thermometer_sets(game.max_dice());
        for player in Player::all(game.players()) {
            let (before, own) = (self.cells.owned_by(player), after.cells.owned_by(player));
            if (before | own) & changed != 0 {
                let cluster = if before == own {
                    self.clusters[usize::from(player.number())]
                } else {
                    Rhombus::<SIDE>::largest_cluster(own)
                };
                let holding = PlayerFeatures::of::<SIDE>(game, after, player, cluster);
                tell(player, FeatureChange::Holding(holding));
            } else if own & near != 0 {
                let threatened = threatened::<SIDE>(own, marks).count_ones();
                tell(
                    player,
                    FeatureChange::Threatened(threatened as f32 * per_hex::<SIDE>()),
                );
            }
        }
    }
}

/// What a ply changed for a player.
pub(super) enum FeatureChange {
    /// Perhaps everything: all own features, counted again.
    Holding(PlayerFeatures),
    /// Only the feature at [`THREATENED`], which has this value now.
    Threatened(f32),
}

/// One player's own features, and what the comparison needs of them.
pub(super) struct PlayerFeatures {
    pub(super) numbers: [f32; ALONE],
    hexes: u32,
    attackers: u32,
}

impl PlayerFeatures {
    #[inline]
    fn of<const SIDE: u32>(
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
        let able = if is_rolled {
            own & marks[0] & Rhombus::<SIDE>::around(foreign)
        } else {
            stronger_neighbours::<SIDE>(own, marks)
        };
        let attackers = able.count_ones();
        let promised = match (is_rolled, player == position.player()) {
            (true, _) => cluster,
            (false, true) => u32::from(position.spare().saturating_sub(1)),
            (false, false) => 0,
        };
        let gain = promised.min(hexes * u32::from(max_dice) - dice);
        let full = own & marks[marks.len() - 1];
        let per_hex = per_hex::<SIDE>();
        let per_die = per_hex / f32::from(max_dice);
        PlayerFeatures {
            numbers: [
                hexes as f32 * per_hex,
                dice as f32 * per_die,
                cluster as f32 * per_hex,
                gain as f32 * per_hex,
                full.count_ones() as f32 * per_hex,
                threatened as f32 * per_hex,
                attackers as f32 * per_hex,
                INVERSE[attackers as usize],
                one_if(attackers == 0),
            ],
            hexes,
            attackers,
        }
    }
}

/// One hex as a part of the board.
const fn per_hex<const SIDE: u32>() -> f32 {
    1.0 / (SIDE * SIDE) as f32
}

/// The hexes of a player that touch a foreign hex with more dice.
#[inline]
fn threatened<const SIDE: u32>(own: u64, marks: &[u64]) -> u64 {
    let foreign = Rhombus::<SIDE>::ALL & !own;
    marks.iter().fold(0, |threatened, &mark| {
        threatened | own & !mark & Rhombus::<SIDE>::around(foreign & mark)
    })
}

/// The hexes of a player that touch a foreign hex with fewer dice.
#[inline]
fn stronger_neighbours<const SIDE: u32>(own: u64, marks: &[u64]) -> u64 {
    let foreign = Rhombus::<SIDE>::ALL & !own;
    marks.iter().fold(0, |able, &mark| {
        able | own & mark & Rhombus::<SIDE>::around(foreign & !mark)
    })
}

/// How many hexes each player has, and how near each is to being stuck: a player without an attack ends
/// the game, and whoever leads then wins.
#[derive(Clone, Copy, Default)]
pub(super) struct PlayerStandings {
    hexes: [u32; MAX_PLAYERS],
    /// How near a player is to having no attack, 0..=1.
    stuck: [f32; MAX_PLAYERS],
}

impl PlayerStandings {
    /// Notes what a player has now.
    #[inline]
    pub(super) fn set_features(&mut self, player: Player, holding: &PlayerFeatures) {
        let (at, attackers) = (usize::from(player.number()), holding.attackers as usize);
        self.hexes[at] = holding.hexes;
        self.stuck[at] = INVERSE[attackers] * INVERSE[attackers];
    }

    /// How the players compare.
    // Always inlined: where the compiler may choose, some programs call it, and their searches take a
    // tenth longer (`cargo bench --bench search -- puct`).
    #[inline(always)]
    pub(super) fn compare(&self, game: &DiceOfDoom, mover: Player) -> Comparison {
        let next_is_stuck = self.stuck[usize::from(mover.next(game.players()).number())];
        // Players whom the game does not have count as having no hexes and not being stuck.
        let mut one_is_stuck = 0.0_f32;
        let (mut most, mut second) = (0, 0);
        for at in 0..MAX_PLAYERS {
            if at != usize::from(mover.number()) {
                one_is_stuck = one_is_stuck.max(self.stuck[at]);
            }
            second = second.max(self.hexes[at].min(most));
            most = most.max(self.hexes[at]);
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

/// How the players of a position compare.
pub(super) struct Comparison {
    hexes: [u32; MAX_PLAYERS],
    /// The most hexes that any player has.
    most: u32,
    /// The second most.
    second: u32,
    next_is_stuck: f32,
    one_is_stuck: f32,
    per_hex: f32,
}

impl Comparison {
    /// The features that compare a player with the others.
    #[inline]
    pub(super) fn of(&self, player: Player) -> ComparisonFeatures {
        let hexes = self.hexes[usize::from(player.number())];
        let best_other = if hexes == self.most {
            self.second
        } else {
            self.most
        };
        let lead = (hexes as i32 - best_other as i32) as f32 * self.per_hex;
        let leads = one_if(hexes >= best_other);
        let part = hexes as f32 * self.per_hex;
        let (next, one) = (self.next_is_stuck, self.one_is_stuck);
        let pairs = [0.0, lead, leads, lead, leads, lead, leads, part];
        let by_stuck = [1.0, 1.0, 1.0, next, next, one, one, one];
        std::array::from_fn(|at| pairs[at] * by_stuck[at])
    }
}

#[inline]
fn one_if(condition: bool) -> f32 {
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
