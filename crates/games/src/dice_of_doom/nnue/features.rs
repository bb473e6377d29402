//! The features of a position: which of them are present, and which change by a ply.
//!
//! Players are numbered by their distance from the mover (0 is the mover, 1 is next), and hexes by their
//! rank: the part of the board that comes before them in the order in which dice are placed. So the same
//! features serve boards of every side. The mover's hexes that get a die when the turn ends now are told
//! apart from the mover's other hexes.

use std::ops::RangeInclusive;

use super::super::board::{Cells, MAX_HEXES, Rhombus, lowest_hexes};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use dice_of_doom_core::game::{MAX_PLAYERS, Player};

mod changes;

pub(super) use changes::{AccumulatorUpdate, AttackContext, ConnectedParts};

/// Of how many players the games are.
pub const PLAYERS: RangeInclusive<u8> = 2..=6;

/// The sides of the boards; each has a feature of its own.
pub const SIDES: RangeInclusive<u8> = 4..=7;

/// The most dice on a hex.
pub const DICE: usize = 5;

/// Ranks of hexes: on a board of side 5 each hex has its own.
const RANKS: usize = 25;

/// Parts of the board, from nothing to all of it.
const PARTS: usize = RANKS + 1;

/// So many attackers count as many.
const MANY_ATTACKERS: usize = 9;

/// Of somebody who is nearly stuck it matters who leads: so many attackers and fewer.
const FEW_ATTACKERS: usize = 3;

/// Turns without an attack, by player.
const QUIET: usize = 8;

/// The largest scale of the rows.
const MAX_SCALE: f32 = 4096.0;

/// Where the features of each kind begin, in a game of so many players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FeatureLayout {
    players: usize,
    edges: usize,
    numbers: usize,
    stuck: usize,
    table: usize,
    /// How many features there are.
    pub count: usize,
}

/// Numbers that are features of each player: hexes, largest cluster, room for dice, attackers.
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

    /// The features of a game of so many [`PLAYERS`].
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

    /// How many features of each kind are present on a board of 64 hexes at most, and where the kind ends.
    const fn kinds(&self) -> [(f32, usize); 5] {
        [
            (64.0, self.edges),
            (161.0, self.numbers),
            (4.0 * self.players as f32, self.stuck),
            (self.players as f32, self.table),
            (3.0, self.count),
        ]
    }

    /// By how much rows of `width` numbers, and the bias behind them, may be multiplied, so that no sum
    /// over a position's features leaves 16 bits.
    pub(super) fn first_scale(&self, rows: &[f32], width: usize) -> f32 {
        (f32::from(i16::MAX) / (self.max_sum(rows, width) + 1.0)).min(MAX_SCALE)
    }

    /// The scale by which such rows were multiplied, told from what came out.
    pub(super) fn scale_of(&self, multiplied: &[f32], width: usize) -> f32 {
        (f32::from(i16::MAX) - self.max_sum(multiplied, width)).clamp(1.0, MAX_SCALE)
    }

    /// The most that a sum over a position's features, and the bias behind the rows, can be.
    fn max_sum(&self, rows: &[f32], width: usize) -> f32 {
        let largest = |range: std::ops::Range<usize>| {
            let numbers = rows[range.start * width..range.end * width].iter();
            numbers.fold(0.0, |most: f32, number| most.max(number.abs()))
        };
        let mut begin = 0;
        let mut most = largest(self.count..self.count + 1);
        for (present, end) in self.kinds() {
            most += present * largest(begin..end);
            begin = end;
        }
        most
    }

    /// How many features tell the standing.
    const fn count_of_standing(&self) -> usize {
        PLAYER_FEATURES * self.players + TABLE_FEATURES
    }

    /// A hex at this rank with this code.
    #[inline]
    fn hex(&self, rank: usize, code: HexCode) -> usize {
        rank * HexCode::count(self.players) + code.number()
    }

    /// Two hexes that touch.
    #[inline]
    fn edge(&self, a: HexCode, b: HexCode) -> usize {
        let (a, b) = (a.number(), b.number());
        let (low, high) = (a.min(b), a.max(b));
        self.edges + high * (high + 1) / 2 + low
    }

    fn number(&self, distance: usize, kind: usize, number: u8) -> usize {
        self.numbers + distance * NUMBERS + kind + usize::from(number)
    }
}

/// Whose a hex is and how many dice it has. Its owner is told by distance; the number of players stands for
/// the mover where the hex is due for a die.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct HexCode(u8);

impl HexCode {
    /// How many there are.
    const fn count(players: usize) -> usize {
        (players + 1) * DICE
    }

    #[inline]
    const fn new(owner: u8, dice: u8) -> Self {
        HexCode(owner * DICE as u8 + dice - 1)
    }

    /// Its place among all codes.
    #[inline]
    const fn number(self) -> usize {
        self.0 as usize
    }
}

/// What was read off a board.
#[derive(Clone)]
pub(super) struct ActiveFeatures {
    mover: Player,
    owned: Owned,
    codes: [HexCode; MAX_HEXES],
    /// The hexes that get a die when the mover's turn ends now.
    due: u64,
    standing: StandingInputs,
    /// As [`leader`] tells.
    leader: usize,
    /// The features of the standing.
    told: [u16; MAX_STANDING_FEATURES],
}

/// The numbers of each player, by distance.
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

/// The hexes of each player, by distance.
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

    pub(super) fn from_position(game: &DiceOfDoom, layout: &FeatureLayout, position: &Position) -> Self {
        match game.side() {
            4 => ActiveFeatures::on_side::<4>(game, layout, position),
            5 => ActiveFeatures::on_side::<5>(game, layout, position),
            6 => ActiveFeatures::on_side::<6>(game, layout, position),
            _ => ActiveFeatures::on_side::<7>(game, layout, position),
        }
    }

    fn on_side<const SIDE: u32>(
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
            quiet: quiet(game, position),
        };
        for (numbers, &own) in standing.numbers.iter_mut().zip(&owned[..layout.players]) {
            let cluster = Rhombus::<SIDE>::largest_cluster(own);
            *numbers = PlayerNumbers::from_hexes::<SIDE>(own, marks, cluster as u8);
        }
        let due = reinforced_hexes(owned[0], marks, standing.numbers[0].cluster);
        let numbers = &standing.numbers;
        let leader = leader(layout.players, |distance| numbers[distance].hexes);
        ActiveFeatures {
            mover,
            owned,
            codes: codes::<SIDE>(layout, &owned, marks, due),
            due,
            told: standing.told::<SIDE>(layout, leader),
            leader,
            standing,
        }
    }

    /// Tells every feature that is present, always in the same order: a training adds floats in it.
    #[inline(always)]
    pub(super) fn each(&self, game: &DiceOfDoom, layout: &FeatureLayout, tell: impl FnMut(usize)) {
        match game.side() {
            4 => self.each_on_side::<4>(layout, tell),
            5 => self.each_on_side::<5>(layout, tell),
            6 => self.each_on_side::<6>(layout, tell),
            _ => self.each_on_side::<7>(layout, tell),
        }
    }

    #[inline(always)]
    fn each_on_side<const SIDE: u32>(&self, layout: &FeatureLayout, mut tell: impl FnMut(usize)) {
        Rhombus::<SIDE>::for_each_with_later_neighbours(|hex, later| {
            let code = self.codes[hex];
            tell(layout.hex(rank::<SIDE>(hex), code));
            for &other in later {
                tell(layout.edge(code, self.codes[other]));
            }
        });
        for &feature in &self.told[..layout.count_of_standing()] {
            tell(usize::from(feature));
        }
    }
}

/// The hexes that get a die when a turn ends, of somebody with such a cluster.
#[inline]
fn reinforced_hexes(own: u64, marks: &[u64], cluster: u8) -> u64 {
    lowest_hexes(cluster.into(), own & !marks[marks.len() - 1])
}

/// The codes of all hexes of a board.
#[inline(always)]
fn codes<const SIDE: u32>(
    layout: &FeatureLayout,
    owned: &Owned,
    marks: &[u64],
    due: u64,
) -> [HexCode; MAX_HEXES] {
    let mut all = [HexCode::default(); MAX_HEXES];
    // What is off the board has a code too, which nobody asks for.
    let eights = (SIDE * SIDE).div_ceil(8) as usize;
    for (eight, codes) in all.chunks_exact_mut(8).take(eights).enumerate() {
        let spread = |set: u64| ones(set.to_le_bytes()[eight]);
        let mut bytes = spread(due) * (layout.players * DICE) as u64;
        for (owner, own) in owned[..layout.players].iter().enumerate().skip(1) {
            bytes += spread(*own) * (owner * DICE) as u64;
        }
        for mark in marks {
            bytes += spread(*mark);
        }
        for (code, byte) in codes.iter_mut().zip(bytes.to_le_bytes()) {
            *code = HexCode(byte);
        }
    }
    all
}

/// Eight bytes, the n-th of which is the n-th bit.
#[inline]
const fn ones(bits: u8) -> u64 {
    const EACH_BYTE: u64 = u64::MAX / 255;
    // In the n-th byte nothing but the n-th bit stays; what is not 0 then runs over into the byte's top bit.
    let alone = (bits as u64 * EACH_BYTE) & 0x8040_2010_0804_0201;
    ((alone + EACH_BYTE * 0x7f) >> 7) & EACH_BYTE
}

/// Features of each player in the standing.
const PLAYER_FEATURES: usize = 5;

/// Features of the table in the standing.
const TABLE_FEATURES: usize = 3;

const MAX_STANDING_FEATURES: usize = PLAYER_FEATURES * MAX_PLAYERS + TABLE_FEATURES;

/// The distance of the player with most hexes, or the number of players where several have.
#[inline(always)]
fn leader(players: usize, hexes: impl Fn(usize) -> u8) -> usize {
    let (mut most, mut leader) = (0, players);
    for distance in 0..players {
        let hexes = hexes(distance);
        if hexes > most {
            (most, leader) = (hexes, distance);
        } else if hexes == most {
            leader = players;
        }
    }
    leader
}

impl StandingInputs {
    /// The features.
    #[inline(always)]
    fn told<const SIDE: u32>(
        &self,
        layout: &FeatureLayout,
        leader: usize,
    ) -> [u16; MAX_STANDING_FEATURES] {
        let mut told = [0; MAX_STANDING_FEATURES];
        let numbers = self.numbers[..layout.players].iter().enumerate();
        for ((distance, numbers), told) in numbers.zip(told.chunks_exact_mut(PLAYER_FEATURES)) {
            told.copy_from_slice(&numbers.told::<SIDE>(layout, distance, leader));
        }
        let table = PLAYER_FEATURES * layout.players;
        told[table..table + TABLE_FEATURES].copy_from_slice(&self.told_of_table::<SIDE>(layout));
        told
    }

    /// The features of the table, which come last.
    #[inline(always)]
    fn told_of_table<const SIDE: u32>(&self, layout: &FeatureLayout) -> [u16; TABLE_FEATURES] {
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
    /// The features of the player at this distance.
    #[inline(always)]
    fn told<const SIDE: u32>(
        &self,
        layout: &FeatureLayout,
        distance: usize,
        leader: usize,
    ) -> [u16; PLAYER_FEATURES] {
        [
            layout.number(distance, HEXES, board_fraction::<SIDE>(self.hexes)) as u16,
            layout.number(distance, CLUSTER, board_fraction::<SIDE>(self.cluster)) as u16,
            layout.number(
                distance,
                ROOM,
                board_fraction::<SIDE>(self.room).min(RANKS as u8),
            ) as u16,
            layout.number(distance, ATTACKERS, self.attackers) as u16,
            self.stuck(layout, distance, leader) as u16,
        ]
    }

    /// The last of them: who leads while so few of the player's hexes can attack.
    #[inline(always)]
    fn stuck(&self, layout: &FeatureLayout, distance: usize, leader: usize) -> usize {
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

/// The part of the board that comes before a hex.
#[inline]
const fn rank<const SIDE: u32>(hex: usize) -> usize {
    hex * RANKS / (SIDE * SIDE) as usize
}

/// So many hexes as a part of the board.
#[inline]
const fn board_fraction<const SIDE: u32>(hexes: u8) -> u8 {
    (hexes as u32 * RANKS as u32 / (SIDE * SIDE)) as u8
}

fn quiet(game: &DiceOfDoom, position: &Position) -> u8 {
    position.quiet() / game.players()
}
