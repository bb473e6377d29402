//! Which features change from one position to another, so that a sum over them is brought up to date by a
//! few rows.
//!
//! Attacks of a turn are reckoned from the position where the attacker failed: there one hex of the mover has
//! changed. Where the attack succeeded, one more hex has, which two players count anew.

use super::super::super::board::{Hex, HexAdjacency, MAX_HEXES, Rhombus, iter_hexes};
use super::super::super::position::Position;
use super::super::super::rules::DiceOfDoom;
use super::{
    ActiveFeatures, DICE, FeatureLayout, HexCode, PLAYER_FEATURES, PlayerNumbers, TABLE_FEATURES,
    leader, quiet, rank, reinforced_hexes,
};

/// Sums over features, whose rows are exchanged when a position changes.
pub(in super::super) trait AccumulatorUpdate {
    /// A feature is no more, and another is there instead. To be inlined.
    fn change(&mut self, was: usize, is: usize);
}

impl ActiveFeatures {
    /// How the features of another position of the same turn differ: tells each feature that it has no more with
    /// the one that it has instead, always in the same order, as [`Self::each`] does.
    pub(in super::super) fn changes(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        there: &ActiveFeatures,
        change: &mut impl AccumulatorUpdate,
    ) {
        let codes = self.codes.iter().zip(&there.codes).enumerate();
        let changed = codes.fold(0, |changed, (hex, (was, is))| {
            changed | (u64::from(was != is) << hex)
        });
        match game.side() {
            4 => self.change_codes::<4>(game, layout, &there.codes, changed, change),
            5 => self.change_codes::<5>(game, layout, &there.codes, changed, change),
            6 => self.change_codes::<6>(game, layout, &there.codes, changed, change),
            _ => self.change_codes::<7>(game, layout, &there.codes, changed, change),
        };
        let before = self.told[..layout.count_of_standing()].iter();
        for (&before, &after) in before.zip(&there.told) {
            if before != after {
                change.change(usize::from(before), usize::from(after));
            }
        }
    }

    /// How the features of the position differ where an attack from this hex failed: tells each feature that it
    /// has no more with the one that it has instead. Returns what is read off that position.
    #[inline(always)]
    pub(in super::super) fn after_failed(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        after: &Position,
        from: Hex,
        change: &mut impl AccumulatorUpdate,
    ) -> ActiveFeatures {
        match game.side() {
            4 => self.after_failed_on_side::<4>(game, layout, after, from.bit(), change),
            5 => self.after_failed_on_side::<5>(game, layout, after, from.bit(), change),
            6 => self.after_failed_on_side::<6>(game, layout, after, from.bit(), change),
            _ => self.after_failed_on_side::<7>(game, layout, after, from.bit(), change),
        }
    }

    #[inline(always)]
    fn after_failed_on_side<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        after: &Position,
        from: u64,
        change: &mut impl AccumulatorUpdate,
    ) -> ActiveFeatures {
        let marks = after.cells.thermometer_sets(DICE as u8);
        // Nobody has other hexes than before, and only the mover has other dice.
        let mut standing = self.standing;
        standing.first_move = after.first_move();
        standing.quiet = quiet(game, after);
        let cluster = standing.numbers[0].cluster;
        standing.numbers[0] = PlayerNumbers::from_hexes::<SIDE>(self.owned[0], marks, cluster);
        let due = reinforced_hexes(self.owned[0], marks, cluster);
        let codes = self.codes_after::<SIDE>(game, layout, after, from, due, change);
        let mut told = self.told;
        let table = PLAYER_FEATURES * layout.players;
        told[..PLAYER_FEATURES].copy_from_slice(&standing.numbers[0].told::<SIDE>(
            layout,
            0,
            self.leader,
        ));
        told[table..table + TABLE_FEATURES]
            .copy_from_slice(&standing.told_of_table::<SIDE>(layout));
        for at in (0..PLAYER_FEATURES).chain(table..table + TABLE_FEATURES) {
            let (was, is) = (self.told[at], told[at]);
            if was != is {
                change.change(usize::from(was), usize::from(is));
            }
        }
        ActiveFeatures {
            mover: self.mover,
            owned: self.owned,
            codes,
            due,
            standing,
            leader: self.leader,
            told,
        }
    }

    /// How the features differ where the attack succeeded whose failure was read here.
    #[inline(always)]
    pub(in super::super) fn after_won(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        parts: &ConnectedParts,
        after: &Position,
        won: u64,
        change: &mut impl AccumulatorUpdate,
    ) {
        match game.side() {
            4 => self.after_won_on_side::<4>(game, layout, parts, after, won, change),
            5 => self.after_won_on_side::<5>(game, layout, parts, after, won, change),
            6 => self.after_won_on_side::<6>(game, layout, parts, after, won, change),
            _ => self.after_won_on_side::<7>(game, layout, parts, after, won, change),
        }
    }

    #[inline(always)]
    fn after_won_on_side<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        parts: &ConnectedParts,
        after: &Position,
        won: u64,
        change: &mut impl AccumulatorUpdate,
    ) {
        let marks = after.cells.thermometer_sets(DICE as u8);
        let defender = (1..layout.players).fold(0, |defender, distance| {
            defender | (distance * usize::from(self.owned[distance] & won != 0))
        });
        let own = self.owned[0] | won;
        let left = self.owned[defender] & !won;
        let before = &self.standing.numbers;
        let joined = parts.joined::<SIDE>(won);
        let cluster = joined.max(before[0].cluster);
        let mover = PlayerNumbers::from_hexes::<SIDE>(own, marks, cluster);
        let due = reinforced_hexes(own, marks, cluster);
        let cluster = Rhombus::<SIDE>::largest_cluster(left);
        let loser = PlayerNumbers::from_hexes::<SIDE>(left, marks, cluster as u8);
        self.codes_after::<SIDE>(game, layout, after, won, due, change);
        let leader = leader(layout.players, |distance| match distance {
            0 => mover.hexes,
            _ if distance == defender => loser.hexes,
            _ => before[distance].hexes,
        });
        for (distance, numbers) in [(0, &mover), (defender, &loser)] {
            // Most of them differ, so that all are told: a branch for each would cost more than the row of one
            // that is as it was.
            let told = numbers.told::<SIDE>(layout, distance, leader);
            let place = PLAYER_FEATURES * distance;
            for (at, is) in (place..).zip(told) {
                change.change(usize::from(self.told[at]), usize::from(is));
            }
        }
        if leader != self.leader {
            // It is told of everybody who leads.
            for distance in (1..layout.players).filter(|&distance| distance != defender) {
                let stuck = before[distance].stuck(layout, distance, leader);
                let was = self.told[PLAYER_FEATURES * distance + PLAYER_FEATURES - 1];
                change.change(usize::from(was), stuck);
            }
        }
    }

    /// Tells how the features of hexes differ, and of those that touch, where these hexes moved, which are the
    /// mover's now, and these are due. Returns all codes.
    #[inline(always)]
    fn codes_after<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        after: &Position,
        moved: u64,
        due: u64,
        change: &mut impl AccumulatorUpdate,
    ) -> [HexCode; MAX_HEXES] {
        let changed = moved | due ^ self.due;
        let mut codes = self.codes;
        for hex in iter_hexes(changed) {
            let owner = layout.players as u8 * u8::from(due & hex.bit() != 0);
            codes[hex.index()] = HexCode::new(owner, after.dice(hex));
        }
        self.change_codes::<SIDE>(game, layout, &codes, changed, change);
        codes
    }

    /// Tells how the features of these hexes differ, and of those that touch.
    #[inline(always)]
    fn change_codes<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        codes: &[HexCode; MAX_HEXES],
        changed: u64,
        change: &mut impl AccumulatorUpdate,
    ) {
        let mut left = changed;
        for hex in iter_hexes(changed) {
            let (was, is) = (self.codes[hex.index()], codes[hex.index()]);
            let rank = rank::<SIDE>(hex.index());
            change.change(layout.hex(rank, was), layout.hex(rank, is));
            for other in iter_hexes(game.map().neighbour_set(hex) & (left | !changed)) {
                let other = other.index();
                let before = layout.edge(was, self.codes[other]);
                change.change(before, layout.edge(is, codes[other]));
            }
            left &= !hex.bit();
        }
    }
}

/// A position seen by its mover, who attacks.
pub(in super::super) struct AttackContext<'a> {
    position: &'a Position,
    own: u64,
    /// The connected parts of the mover's hexes.
    pub(in super::super) parts: ConnectedParts,
}

impl<'a> AttackContext<'a> {
    pub(in super::super) fn from(game: &DiceOfDoom, position: &'a Position) -> Self {
        let own = position.cells.owned_by(position.player());
        AttackContext {
            position,
            own,
            parts: ConnectedParts::of(game.map(), own),
        }
    }

    /// Which hex attacked, and which was won, if a position is one attack of the same turn later.
    #[inline]
    pub(in super::super) fn made(&self, after: &Position) -> Option<(Hex, u64)> {
        let spent = self.own
            & self.position.cells.hexes_with_at_least(2)
            & !after.cells.hexes_with_at_least(2);
        let from = iter_hexes(spent).next()?;
        let mover = self.position.player();
        let won = after.cells.owned_by(mover) & !self.own;
        (after.player() == mover).then_some((from, won))
    }

    /// The position where an attack from this hex failed, for one where it was made.
    #[inline]
    pub(in super::super) fn failed(&self, after: &Position, from: Hex) -> Position {
        let mut cells = self.position.cells;
        cells.leave_one_die(from);
        Position { cells, ..*after }
    }
}

/// The connected parts of a set.
pub(in super::super) struct ConnectedParts {
    parts: [u64; MOST_PARTS],
    count: usize,
}

/// No two parts touch, so a row of eight hexes has hexes of four parts at most.
const MOST_PARTS: usize = MAX_HEXES / 2;

impl ConnectedParts {
    fn of(map: &HexAdjacency, set: u64) -> Self {
        let mut parts = ConnectedParts {
            parts: [0; MOST_PARTS],
            count: 0,
        };
        let mut left = set;
        while left != 0 {
            let part = map.flood_fill(left & left.wrapping_neg(), left);
            parts.parts[parts.count] = part;
            parts.count += 1;
            left &= !part;
        }
        parts
    }

    /// How many hexes are connected by one more.
    #[inline(always)]
    fn joined<const SIDE: u32>(&self, hex: u64) -> u8 {
        let around = Rhombus::<SIDE>::adjacent_hexes(hex);
        let touching = self.parts[..self.count].iter();
        let joined = touching.map(|part| part.count_ones() * u32::from(part & around != 0));
        1 + joined.sum::<u32>() as u8
    }
}
