//! The features of a position: which are active, and which change with a ply.
//!
//! Players are numbered by their distance from the mover (0 is the mover, 1 the next), and hexes by rank: the
//! fraction of the board that precedes them in the order in which dice are placed. So the same features serve
//! boards of every side. The mover's hexes that would get a die if the turn ended now have features different
//! from the mover's other hexes.

use std::ops::RangeInclusive;

use super::super::board::{Cells, MAX_HEXES, Rhombus, lowest_hexes};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use dice_of_doom_core::game::{MAX_PLAYERS, Player};

mod changes;

pub(super) use changes::{AccumulatorUpdate, AttackContext, ConnectedParts};

/// The supported numbers of players.
pub const PLAYERS: RangeInclusive<u8> = 2..=6;

/// The supported sides of boards; each has its own feature.
pub const SIDES: RangeInclusive<u8> = 4..=7;

/// The maximum number of dice per hex.
pub const DICE: usize = 5;

/// The number of ranks; on a board of side 5 each hex has its own.
const RANKS: usize = 25;

/// The number of fractions of the board, from none to all of it.
const PARTS: usize = RANKS + 1;

/// Numbers of attackers above this count as this number.
const MANY_ATTACKERS: usize = 9;

/// For players with up to this number of attackers, the leader is a feature.
const FEW_ATTACKERS: usize = 3;

/// The number of features for turns without an attack, per player.
const QUIET: usize = 8;

/// The maximum scale of the rows.
const MAX_SCALE: f32 = 4096.0;

/// The index of the first feature of each kind, for a given number of players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FeatureLayout {
    players: usize,
    edges: usize,
    numbers: usize,
    stuck: usize,
    table: usize,
    /// The number of features.
    pub count: usize,
}

/// Offsets of the per-player numbers: hexes, largest cluster, free space for dice, attackers.
const HEXES: usize = 0;
const CLUSTER: usize = PARTS;
const ROOM: usize = 2 * PARTS;
const ATTACKERS: usize = 3 * PARTS;
const NUMBERS: usize = 3 * PARTS + MANY_ATTACKERS + 1;

impl FeatureLayout {
    pub(super) fn fingerprint_text(&self) -> String {
        let FeatureLayout {
            players,
            edges,
            numbers,
            stuck,
            table,
            count,
        } = self;
        format!(
            "Layout {{ players: {players}, edges: {edges}, numbers: {numbers}, stuck: {stuck}, table: {table}, \
             count: {count} }}"
        )
    }

    /// The layout for a game of `players` players, one of [`PLAYERS`].
    #[must_use]
    pub const fn for_players(players: u8) -> Self {
        let players = players as usize;
        let codes = HexCode::count(players);
        let edges = RANKS * codes;
        let numbers = edges + codes * (codes + 1) / 2;
        let stuck = numbers + players * NUMBERS;
        let table = stuck + players * (FEW_ATTACKERS + 1) * (players + 1);
        FeatureLayout {
            players,
            edges,
            numbers,
            stuck,
            table,
            count: table + 2 + QUIET + (*SIDES.end() - *SIDES.start()) as usize + 1,
        }
    }

    /// For each kind the maximum number of active features on a board of up to 64 hexes, and the end of its
    /// index range.
    const fn kinds(&self) -> [(f32, usize); 5] {
        [
            (64.0, self.edges),
            (161.0, self.numbers),
            (4.0 * self.players as f32, self.stuck),
            (self.players as f32, self.table),
            (3.0, self.count),
        ]
    }

    /// The factor by which rows of `width` numbers, and the bias after them, may be multiplied without overflow
    /// of a 16-bit sum over a position's features.
    pub(super) fn first_scale(&self, rows: &[f32], width: usize) -> f32 {
        (f32::from(i16::MAX) / (self.max_sum(rows, width) + 1.0)).min(MAX_SCALE)
    }

    /// Recovers that factor from the multiplied rows.
    pub(super) fn scale_from_rows(&self, multiplied: &[f32], width: usize) -> f32 {
        (f32::from(i16::MAX) - self.max_sum(multiplied, width)).clamp(1.0, MAX_SCALE)
    }

    /// The maximum of a sum over a position's features and the bias after the rows.
    fn max_sum(&self, rows: &[f32], width: usize) -> f32 {
        let largest = |range: std::ops::Range<usize>| {
            let numbers = rows[range.start * width..range.end * width].iter();
            numbers.fold(0.0, |most: f32, number| most.max(number.abs()))
        };
        let mut first = 0;
        let mut most = largest(self.count..self.count + 1);
        for (present, end) in self.kinds() {
            most += present * largest(first..end);
            first = end;
        }
        most
    }

    /// The number of features that describe the standing.
    const fn standing_feature_count(&self) -> usize {
        PLAYER_FEATURES * self.players + TABLE_FEATURES
    }

    /// The feature of a hex at this rank with this code.
    #[inline]
    fn hex_feature(&self, rank: usize, code: HexCode) -> usize {
        rank * HexCode::count(self.players) + code.index()
    }

    /// The feature of two adjacent hexes.
    #[inline]
    fn edge_feature(&self, a: HexCode, b: HexCode) -> usize {
        let (a, b) = (a.index(), b.index());
        let (low, high) = (a.min(b), a.max(b));
        self.edges + high * (high + 1) / 2 + low
    }

    fn number_feature(&self, distance: usize, kind: usize, number: u8) -> usize {
        self.numbers + distance * NUMBERS + kind + usize::from(number)
    }
}

/// The owner of a hex and its number of dice. The owner is given by distance; the number of players stands for
/// the mover's hexes that would be reinforced.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct HexCode(u8);

impl HexCode {
    /// The number of codes.
    const fn count(players: usize) -> usize {
        (players + 1) * DICE
    }

    #[inline]
    const fn new(owner: u8, dice: u8) -> Self {
        HexCode(owner * DICE as u8 + dice - 1)
    }

    #[inline]
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The active features of a position, with the data needed for updates.
#[derive(Clone)]
pub(super) struct ActiveFeatures {
    mover: Player,
    owned: Owned,
    codes: [HexCode; MAX_HEXES],
    /// The hexes that would get a die if the mover's turn ended now.
    reinforced: u64,
    standing: StandingInputs,
    /// The result of [`leader`].
    leader: usize,
    /// The features of the standing.
    standing_features: [u16; MAX_STANDING_FEATURES],
}

/// The numbers of each player, by distance from the mover.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct StandingInputs {
    numbers: [PlayerNumbers; MAX_PLAYERS],
    first_move: bool,
    quiet: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct PlayerNumbers {
    hexes: u8,
    cluster: u8,
    room: u8,
    attackers: u8,
}

/// The hexes of each player, by distance from the mover.
type Owned = [u64; MAX_PLAYERS];

#[inline]
fn owned(game: &DiceOfDoom, cells: &Cells, mover: Player) -> Owned {
    let mut owned = [0; MAX_PLAYERS];
    let mut player = mover;
    for own in &mut owned[..usize::from(game.players())] {
        *own = cells.owned_by(player);
        player = player.next(game.players());
    }
    owned
}

impl ActiveFeatures {
    #[inline]
    pub(super) fn mover(&self) -> Player {
        self.mover
    }

    pub(super) fn from_position(
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        position: &Position,
    ) -> Self {
        match game.side() {
            4 => ActiveFeatures::from_position_on_side::<4>(game, layout, position),
            5 => ActiveFeatures::from_position_on_side::<5>(game, layout, position),
            6 => ActiveFeatures::from_position_on_side::<6>(game, layout, position),
            _ => ActiveFeatures::from_position_on_side::<7>(game, layout, position),
        }
    }

    fn from_position_on_side<const SIDE: u32>(
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        position: &Position,
    ) -> Self {
        let mover = position.player();
        let owned = owned(game, &position.cells, mover);
        let marks = position.cells.thermometer_sets(DICE as u8);
        let mut standing = StandingInputs {
            numbers: Default::default(),
            first_move: position.first_move(),
            quiet: quiet_turns_per_player(game, position),
        };
        for (numbers, &own) in standing.numbers.iter_mut().zip(&owned[..layout.players]) {
            let cluster = Rhombus::<SIDE>::largest_cluster(own);
            *numbers = PlayerNumbers::from_hexes::<SIDE>(own, marks, cluster as u8);
        }
        let reinforced = reinforced_hexes(owned[0], marks, standing.numbers[0].cluster);
        let numbers = &standing.numbers;
        let leader = leader(layout.players, |distance| numbers[distance].hexes);
        ActiveFeatures {
            mover,
            owned,
            codes: hex_codes::<SIDE>(layout, &owned, marks, reinforced),
            reinforced,
            standing_features: standing.active_features::<SIDE>(layout, leader),
            leader,
            standing,
        }
    }

    /// Calls `visit` for every active feature, always in the same order, because training sums floats in it.
    #[inline(always)]
    pub(super) fn for_each_feature(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        visit: impl FnMut(usize),
    ) {
        match game.side() {
            4 => self.for_each_feature_on_side::<4>(layout, visit),
            5 => self.for_each_feature_on_side::<5>(layout, visit),
            6 => self.for_each_feature_on_side::<6>(layout, visit),
            _ => self.for_each_feature_on_side::<7>(layout, visit),
        }
    }

    #[inline(always)]
    fn for_each_feature_on_side<const SIDE: u32>(
        &self,
        layout: &FeatureLayout,
        mut visit: impl FnMut(usize),
    ) {
        Rhombus::<SIDE>::for_each_with_later_neighbours(|hex, later| {
            let code = self.codes[hex];
            visit(layout.hex_feature(rank::<SIDE>(hex), code));
            for &other in later {
                visit(layout.edge_feature(code, self.codes[other]));
            }
        });
        for &feature in &self.standing_features[..layout.standing_feature_count()] {
            visit(usize::from(feature));
        }
    }
}

/// The hexes that would get a die if the turn of a player with this cluster ended.
#[inline]
fn reinforced_hexes(own: u64, marks: &[u64], cluster: u8) -> u64 {
    lowest_hexes(cluster.into(), own & !marks[marks.len() - 1])
}

/// The codes of all hexes; codes beyond the board are unused.
#[inline(always)]
fn hex_codes<const SIDE: u32>(
    layout: &FeatureLayout,
    owned: &Owned,
    marks: &[u64],
    reinforced: u64,
) -> [HexCode; MAX_HEXES] {
    let mut all = [HexCode::default(); MAX_HEXES];
    let groups = (SIDE * SIDE).div_ceil(8) as usize;
    for (group, codes) in all.chunks_exact_mut(8).take(groups).enumerate() {
        let bits = |set: u64| spread_bits(set.to_le_bytes()[group]);
        let mut bytes = bits(reinforced) * (layout.players * DICE) as u64;
        for (owner, own) in owned[..layout.players].iter().enumerate().skip(1) {
            bytes += bits(*own) * (owner * DICE) as u64;
        }
        for mark in marks {
            bytes += bits(*mark);
        }
        for (code, byte) in codes.iter_mut().zip(bytes.to_le_bytes()) {
            *code = HexCode(byte);
        }
    }
    all
}

/// Spreads eight bits into eight bytes, each 0 or 1.
#[inline]
const fn spread_bits(bits: u8) -> u64 {
    const EACH_BYTE: u64 = u64::MAX / 255;
    // Byte n keeps only bit n; the addition then carries any nonzero value into the byte's top bit.
    let isolated = (bits as u64 * EACH_BYTE) & 0x8040_2010_0804_0201;
    ((isolated + EACH_BYTE * 0x7f) >> 7) & EACH_BYTE
}

/// The number of standing features per player.
const PLAYER_FEATURES: usize = 5;

/// The number of standing features shared by all players.
const TABLE_FEATURES: usize = 3;

const MAX_STANDING_FEATURES: usize = PLAYER_FEATURES * MAX_PLAYERS + TABLE_FEATURES;

/// The distance of the player with the most hexes; the number of players on a tie.
#[inline(always)]
fn leader(players: usize, hexes: impl Fn(usize) -> u8) -> usize {
    let (mut max, mut leader) = (0, players);
    for distance in 0..players {
        let hexes = hexes(distance);
        if hexes > max {
            (max, leader) = (hexes, distance);
        } else if hexes == max {
            leader = players;
        }
    }
    leader
}

impl StandingInputs {
    /// The active features.
    #[inline(always)]
    fn active_features<const SIDE: u32>(
        &self,
        layout: &FeatureLayout,
        leader: usize,
    ) -> [u16; MAX_STANDING_FEATURES] {
        let mut features = [0; MAX_STANDING_FEATURES];
        let numbers = self.numbers[..layout.players].iter().enumerate();
        for ((distance, numbers), features) in
            numbers.zip(features.chunks_exact_mut(PLAYER_FEATURES))
        {
            features.copy_from_slice(&numbers.active_features::<SIDE>(layout, distance, leader));
        }
        let table = PLAYER_FEATURES * layout.players;
        features[table..table + TABLE_FEATURES]
            .copy_from_slice(&self.table_features::<SIDE>(layout));
        features
    }

    /// The shared features, which come last.
    #[inline(always)]
    fn table_features<const SIDE: u32>(&self, layout: &FeatureLayout) -> [u16; TABLE_FEATURES] {
        let first_move = layout.table;
        let quiet = first_move + 2;
        let sides = quiet + QUIET;
        let side = SIDE as usize - 4;
        [
            (first_move + usize::from(self.first_move)) as u16,
            (quiet + usize::from(self.quiet).min(QUIET - 1)) as u16,
            (sides + side) as u16,
        ]
    }
}

impl PlayerNumbers {
    /// The active features of the player at this distance.
    #[inline(always)]
    fn active_features<const SIDE: u32>(
        &self,
        layout: &FeatureLayout,
        distance: usize,
        leader: usize,
    ) -> [u16; PLAYER_FEATURES] {
        [
            layout.number_feature(distance, HEXES, board_fraction::<SIDE>(self.hexes)) as u16,
            layout.number_feature(distance, CLUSTER, board_fraction::<SIDE>(self.cluster)) as u16,
            layout.number_feature(
                distance,
                ROOM,
                board_fraction::<SIDE>(self.room).min(RANKS as u8),
            ) as u16,
            layout.number_feature(distance, ATTACKERS, self.attackers) as u16,
            self.stuck_feature(layout, distance, leader) as u16,
        ]
    }

    /// The last of the player's features: the leader, if the player has few attackers.
    #[inline(always)]
    fn stuck_feature(&self, layout: &FeatureLayout, distance: usize, leader: usize) -> usize {
        let few = usize::from(self.attackers).min(FEW_ATTACKERS);
        layout.stuck + (distance * (FEW_ATTACKERS + 1) + few) * (layout.players + 1) + leader
    }

    #[inline(always)]
    fn from_hexes<const SIDE: u32>(own: u64, marks: &[u64], cluster: u8) -> Self {
        let hexes = own.count_ones();
        let more = marks.iter().map(|mark| (own & mark).count_ones());
        let room = hexes * (DICE as u32 - 1) - more.sum::<u32>();
        let foreign = Rhombus::<SIDE>::ALL & !own;
        let attackers = own & marks[0] & Rhombus::<SIDE>::adjacent_hexes(foreign);
        PlayerNumbers {
            hexes: hexes as u8,
            cluster,
            room: room as u8,
            attackers: attackers.count_ones().min(MANY_ATTACKERS as u32) as u8,
        }
    }
}

/// The rank of a hex.
#[inline]
const fn rank<const SIDE: u32>(hex: usize) -> usize {
    hex * RANKS / (SIDE * SIDE) as usize
}

/// A number of hexes as a fraction of the board.
#[inline]
const fn board_fraction<const SIDE: u32>(hexes: u8) -> u8 {
    (hexes as u32 * RANKS as u32 / (SIDE * SIDE)) as u8
}

fn quiet_turns_per_player(game: &DiceOfDoom, position: &Position) -> u8 {
    position.quiet() / game.players()
}
