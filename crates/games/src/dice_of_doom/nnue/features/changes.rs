//! Incremental updates: the features that change between two positions.
//!
//! Attacks are evaluated starting from the position after the attacker failed, in which one hex of the mover
//! has changed. If the attack succeeded, one more hex has changed, which affects the numbers of two players.

use super::super::super::board::{Hex, HexAdjacency, MAX_HEXES, Rhombus, iter_hexes};
use super::super::super::position::Position;
use super::super::super::rules::DiceOfDoom;
use super::{
    ActiveFeatures, DICE, FeatureLayout, HexCode, PLAYER_FEATURES, PlayerNumbers, TABLE_FEATURES,
    leader, quiet_turns_per_player, rank, reinforced_hexes,
};

/// Receives the changes of features, for example to update sums of their rows.
pub(in super::super) trait AccumulatorUpdate {
    /// Replaces feature `was` by feature `is`. To be inlined.
    fn replace(&mut self, was: usize, is: usize);
}

impl ActiveFeatures {
    /// Reports the changes to another position of the same turn, always in the same order.
    pub(in super::super) fn report_changes(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        target: &ActiveFeatures,
        change: &mut impl AccumulatorUpdate,
    ) {
        let codes = self.codes.iter().zip(&target.codes).enumerate();
        let changed = codes.fold(0, |changed, (hex, (was, is))| {
            changed | (u64::from(was != is) << hex)
        });
        match game.side() {
            4 => self.report_code_changes::<4>(game, layout, &target.codes, changed, change),
            5 => self.report_code_changes::<5>(game, layout, &target.codes, changed, change),
            6 => self.report_code_changes::<6>(game, layout, &target.codes, changed, change),
            _ => self.report_code_changes::<7>(game, layout, &target.codes, changed, change),
        };
        let before = self.standing_features[..layout.standing_feature_count()].iter();
        for (&before, &after) in before.zip(&target.standing_features) {
            if before != after {
                change.replace(usize::from(before), usize::from(after));
            }
        }
    }

    /// Reports the changes to the position after a failed attack from this hex; returns the features of that
    /// position.
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
        // No hex changes its owner, and only the mover's dice change.
        let mut standing = self.standing;
        standing.first_move = after.first_move();
        standing.quiet = quiet_turns_per_player(game, after);
        let cluster = standing.numbers[0].cluster;
        standing.numbers[0] = PlayerNumbers::from_hexes::<SIDE>(self.owned[0], marks, cluster);
        let reinforced = reinforced_hexes(self.owned[0], marks, cluster);
        let codes = self.codes_after::<SIDE>(game, layout, after, from, reinforced, change);
        let mut new_features = self.standing_features;
        let table = PLAYER_FEATURES * layout.players;
        new_features[..PLAYER_FEATURES]
            .copy_from_slice(&standing.numbers[0].active_features::<SIDE>(layout, 0, self.leader));
        new_features[table..table + TABLE_FEATURES]
            .copy_from_slice(&standing.table_features::<SIDE>(layout));
        for at in (0..PLAYER_FEATURES).chain(table..table + TABLE_FEATURES) {
            let (was, is) = (self.standing_features[at], new_features[at]);
            if was != is {
                change.replace(usize::from(was), usize::from(is));
            }
        }
        ActiveFeatures {
            mover: self.mover,
            owned: self.owned,
            codes,
            reinforced,
            standing,
            leader: self.leader,
            standing_features: new_features,
        }
    }

    /// Reports the changes from the position after a failed attack (`self`) to the one after the attack
    /// succeeded.
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
        let joined = parts.joined_size::<SIDE>(won);
        let cluster = joined.max(before[0].cluster);
        let mover = PlayerNumbers::from_hexes::<SIDE>(own, marks, cluster);
        let reinforced = reinforced_hexes(own, marks, cluster);
        let cluster = Rhombus::<SIDE>::largest_cluster(left);
        let loser = PlayerNumbers::from_hexes::<SIDE>(left, marks, cluster as u8);
        self.codes_after::<SIDE>(game, layout, after, won, reinforced, change);
        let leader = leader(layout.players, |distance| match distance {
            0 => mover.hexes,
            _ if distance == defender => loser.hexes,
            _ => before[distance].hexes,
        });
        for (distance, numbers) in [(0, &mover), (defender, &loser)] {
            // Most of them differ, and a branch for each would cost more than replacing an unchanged row.
            let features = numbers.active_features::<SIDE>(layout, distance, leader);
            let first_index = PLAYER_FEATURES * distance;
            for (at, is) in (first_index..).zip(features) {
                change.replace(usize::from(self.standing_features[at]), usize::from(is));
            }
        }
        if leader != self.leader {
            // Each player's last feature contains the leader.
            for distance in (1..layout.players).filter(|&distance| distance != defender) {
                let stuck = before[distance].stuck_feature(layout, distance, leader);
                let was = self.standing_features[PLAYER_FEATURES * distance + PLAYER_FEATURES - 1];
                change.replace(usize::from(was), stuck);
            }
        }
    }

    /// Reports the changes of hex and edge features, where the hexes `moved` now belong to the mover and
    /// `reinforced` is the new set of hexes to be reinforced. Returns all codes.
    #[inline(always)]
    fn codes_after<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        layout: &FeatureLayout,
        after: &Position,
        moved: u64,
        reinforced: u64,
        change: &mut impl AccumulatorUpdate,
    ) -> [HexCode; MAX_HEXES] {
        let changed = moved | reinforced ^ self.reinforced;
        let mut codes = self.codes;
        for hex in iter_hexes(changed) {
            let owner = layout.players as u8 * u8::from(reinforced & hex.bit() != 0);
            codes[hex.index()] = HexCode::new(owner, after.dice(hex));
        }
        self.report_code_changes::<SIDE>(game, layout, &codes, changed, change);
        codes
    }

    /// Reports the changes of the features of these hexes and of their edges.
    #[inline(always)]
    fn report_code_changes<const SIDE: u32>(
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
            change.replace(layout.hex_feature(rank, was), layout.hex_feature(rank, is));
            for other in iter_hexes(game.map().neighbour_set(hex) & (left | !changed)) {
                let other = other.index();
                let before = layout.edge_feature(was, self.codes[other]);
                change.replace(before, layout.edge_feature(is, codes[other]));
            }
            left &= !hex.bit();
        }
    }
}

/// A position before an attack of its mover.
pub(in super::super) struct AttackContext<'a> {
    position: &'a Position,
    own: u64,
    /// The connected parts of the mover's hexes.
    pub(in super::super) parts: ConnectedParts,
}

impl<'a> AttackContext<'a> {
    pub(in super::super) fn from_position(game: &DiceOfDoom, position: &'a Position) -> Self {
        let own = position.cells.owned_by(position.player());
        AttackContext {
            position,
            own,
            parts: ConnectedParts::from_set(game.map(), own),
        }
    }

    /// The attacking hex and the captured hexes, if `after` is one attack of the same turn later.
    #[inline]
    pub(in super::super) fn attack_to(&self, after: &Position) -> Option<(Hex, u64)> {
        let sources = self.own
            & self.position.cells.hexes_with_at_least(2)
            & !after.cells.hexes_with_at_least(2);
        let from = iter_hexes(sources).next()?;
        let mover = self.position.player();
        let won = after.cells.owned_by(mover) & !self.own;
        (after.player() == mover).then_some((from, won))
    }

    /// The position after the failure of the attack that led to `after`.
    #[inline]
    pub(in super::super) fn position_after_failure(&self, after: &Position, from: Hex) -> Position {
        let mut cells = self.position.cells;
        cells.leave_one_die(from);
        Position { cells, ..*after }
    }
}

/// The connected parts of a set.
pub(in super::super) struct ConnectedParts {
    parts: [u64; MAX_PARTS],
    count: usize,
}

/// Parts do not touch, so each row of eight hexes has at most four of them.
const MAX_PARTS: usize = MAX_HEXES / 2;

impl ConnectedParts {
    fn from_set(map: &HexAdjacency, set: u64) -> Self {
        let mut parts = ConnectedParts {
            parts: [0; MAX_PARTS],
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

    /// The size of the part that adding this hex would create.
    #[inline(always)]
    fn joined_size<const SIDE: u32>(&self, hex: u64) -> u8 {
        let adjacent = Rhombus::<SIDE>::adjacent_hexes(hex);
        let parts = self.parts[..self.count].iter();
        let sizes = parts.map(|part| part.count_ones() * u32::from(part & adjacent != 0));
        1 + sizes.sum::<u32>() as u8
    }
}
