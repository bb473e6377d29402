//! The weights of the handcrafted features: a table for each rules family and number of players, read from
//! `weights.csv`.

use std::sync::LazyLock;

use super::super::preset::{Combat, EndCondition};
use super::super::rules::DiceOfDoom;
use super::features::{COUNT, ComparisonFeatures, Features, OWN_COUNT};
use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS, Player};
use dice_of_doom_core::search::WinShares;

/// One row of weights per number of turns until the player moves: row 0 for the mover, row 1 for the next
/// player.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HandcraftedWeights(pub [Features; MAX_PLAYERS]);

/// Rules that share the same weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RulesFamily {
    /// `v1`, `v2`, `v3`: more dice win.
    MoreDice,
    /// `v4`.
    Rolled,
    /// `conquest`.
    Conquest,
}

impl RulesFamily {
    /// All families, in the order of the file.
    const ALL: [RulesFamily; 3] = [
        RulesFamily::MoreDice,
        RulesFamily::Rolled,
        RulesFamily::Conquest,
    ];

    /// The family of a game.
    const fn for_game(game: &DiceOfDoom) -> Self {
        match (game.rules().combat(), game.rules().end_condition()) {
            (Combat::MoreDice, _) => RulesFamily::MoreDice,
            (Combat::Rolled, EndCondition::NoAttack) => RulesFamily::Rolled,
            (Combat::Rolled, EndCondition::Conquest) => RulesFamily::Conquest,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            RulesFamily::MoreDice => "more-dice",
            RulesFamily::Rolled => "rolled",
            RulesFamily::Conquest => "conquest",
        }
    }
}

/// The weights for two to six players.
type WeightsByPlayers = [HandcraftedWeights; MAX_PLAYERS - 1];

static TABLES: LazyLock<[WeightsByPlayers; RulesFamily::ALL.len()]> =
    LazyLock::new(|| parse(include_str!("weights.csv")).expect("a valid weights file, as tested"));

impl HandcraftedWeights {
    /// The built-in weights of a game.
    #[must_use]
    pub fn for_game(game: &DiceOfDoom) -> &'static HandcraftedWeights {
        &TABLES[RulesFamily::for_game(game) as usize][usize::from(game.players()) - 2]
    }

    /// The weights of a player's features in a position with this mover.
    #[inline]
    pub(super) fn row(&self, player: Player, mover: Player, players: u8) -> &Features {
        &self.0[player.turns_until(mover, players)]
    }

    /// The weighted sums of each player's own features.
    #[inline]
    pub(super) fn own_sums(
        &self,
        numbers: &[[f32; OWN_COUNT]; MAX_PLAYERS],
        mover: Player,
        players: u8,
    ) -> [Lanes; MAX_PLAYERS] {
        let mut alone = [Lanes::default(); MAX_PLAYERS];
        for player in Player::all(players) {
            let at = usize::from(player.number());
            alone[at] = Lanes::from_own_features(self.row(player, mover, players), &numbers[at]);
        }
        alone
    }

    /// The win shares, from the sums of the own features and the comparison features.
    #[inline]
    pub(super) fn softmax(
        &self,
        alone: &[Lanes; MAX_PLAYERS],
        compared: impl Fn(Player) -> ComparisonFeatures,
        mover: Player,
        players: u8,
    ) -> WinShares {
        // Players not in the game keep a sum of −∞, whose exponential is 0, which avoids a branch.
        let mut sums = [f32::NEG_INFINITY; MAX_PLAYERS];
        let mut max = f32::NEG_INFINITY;
        let mut distance = Player::FIRST.turns_until(mover, players);
        for player in Player::all(players) {
            let at = usize::from(player.number());
            sums[at] = alone[at].total(&self.0[distance], &compared(player));
            max = max.max(sums[at]);
            distance += 1;
            if distance == usize::from(players) {
                distance = 0;
            }
        }
        let powers = sums.map(|sum| exp(sum - max));
        let scale = 1.0 / powers.iter().sum::<f32>();
        ByPlayer::from_fn(|player| powers[usize::from(player.number())] * scale)
    }
}

/// The number of partial sums, so that the additions are independent of each other.
const LANES: usize = COUNT / 2;

/// Partial sums of a player's own features times weights.
#[derive(Clone, Copy, Default)]
pub(super) struct Lanes([f32; LANES]);

impl Lanes {
    #[inline]
    pub(super) fn from_own_features(weights: &Features, numbers: &[f32; OWN_COUNT]) -> Self {
        let mut lanes = [0.0; LANES];
        for at in 0..LANES {
            lanes[at] = weights[at] * numbers[at];
        }
        for at in LANES..OWN_COUNT {
            lanes[at - LANES] += weights[at] * numbers[at];
        }
        Lanes(lanes)
    }

    /// Replaces a feature of the first half, which must be the only one in its lane.
    #[inline]
    pub(super) fn set_feature(&mut self, weights: &Features, at: usize, number: f32) {
        debug_assert!((OWN_COUNT - LANES..LANES).contains(&at));
        self.0[at] = weights[at] * number;
    }

    /// The total with the comparison features.
    #[inline]
    fn total(self, weights: &Features, compared: &ComparisonFeatures) -> f32 {
        let mut lanes = self.0;
        for at in 0..LANES {
            lanes[at] += weights[LANES + at] * compared[at];
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        ((a + e) + (b + f)) + ((c + g) + (d + h))
    }
}

/// e^x for x ≤ 0, to five digits; 0 if the result is at most 2^-126. Unlike the system's function it gives the
/// same result on every machine.
///
/// It has no branches or integer conversions, so the compiler can vectorise it.
#[inline]
pub(in super::super) fn exp(x: f32) -> f32 {
    // 2^(whole + part): `whole` goes into the exponent bits, `part` into a polynomial fitted to 2^part on 0..1.
    let twos = (x * std::f32::consts::LOG2_E).max(-126.0);
    let whole = twos.trunc() - 1.0;
    let part = twos - whole;
    // Adding 2^23 moves an integer into the lowest bits.
    let exponent = (whole + 127.0 + 8_388_608.0).to_bits();
    let power = f32::from_bits(exponent << 23);
    power * (1.0 + part * (0.693_043 + part * (0.241_250 + part * (0.052_352 + part * 0.013_342))))
}

/// Parses a file of weights; missing tables are 0.
fn parse(file: &str) -> Option<[WeightsByPlayers; RulesFamily::ALL.len()]> {
    let mut tables: [WeightsByPlayers; RulesFamily::ALL.len()] = Default::default();
    for line in file.lines() {
        if !line.starts_with('#') && !line.starts_with("kind,") {
            parse_row(&mut tables, line)?;
        }
    }
    Some(tables)
}

fn parse_row(tables: &mut [WeightsByPlayers], line: &str) -> Option<()> {
    let mut cells = line.split(',');
    let name = cells.next()?;
    let kind = RulesFamily::ALL
        .into_iter()
        .find(|kind| kind.name() == name)?;
    let players: usize = cells.next()?.parse().ok()?;
    let distance: usize = cells.next()?.parse().ok()?;
    let weights = &mut tables[kind as usize].get_mut(players.checked_sub(2)?)?.0;
    let row = weights.get_mut(distance).filter(|_| distance < players)?;
    for weight in row {
        *weight = cells.next()?.parse().ok()?;
    }
    cells.next().is_none().then_some(())
}
