//! How much each feature weighs: a table for each kind of rules and number of players, written by
//! `dice-of-doom-lab tune` into `weights.csv`.

use std::sync::LazyLock;

use super::super::preset::{Combat, EndCondition};
use super::super::rules::DiceOfDoom;
use super::features::{ALONE, COUNT, ComparisonFeatures, Features, NAMES};
use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS, Player};
use dice_of_doom_core::search::WinShares;

/// One row of weights for each distance from the mover: row 0 is for the mover, row 1 for the player
/// who is next.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HandcraftedWeights(pub [Features; MAX_PLAYERS]);

/// The rules that share the same weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulesFamily {
    /// `v1`, `v2`, `v3`: more dice win.
    MoreDice,
    /// `v4`.
    Rolled,
    /// `conquest`.
    Conquest,
}

impl RulesFamily {
    /// Every kind, in the order of the file.
    pub const ALL: [RulesFamily; 3] = [
        RulesFamily::MoreDice,
        RulesFamily::Rolled,
        RulesFamily::Conquest,
    ];

    /// The kind of a game.
    #[must_use]
    pub const fn of(game: &DiceOfDoom) -> Self {
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
    LazyLock::new(|| read(include_str!("weights.csv")).expect("a test reads the file"));

impl HandcraftedWeights {
    /// The weights of a game.
    #[must_use]
    pub fn of(game: &DiceOfDoom) -> &'static HandcraftedWeights {
        &TABLES[RulesFamily::of(game) as usize][usize::from(game.players()) - 2]
    }

    /// The lines of these weights in the file.
    #[must_use]
    pub fn lines(&self, kind: RulesFamily, players: u8) -> String {
        let rows = self.0.iter().take(usize::from(players)).enumerate();
        let line = |(distance, row): (usize, &Features)| {
            let cells = row.map(|weight| format!(",{weight:.3}")).concat();
            format!("{},{players},{distance}{cells}\n", kind.name())
        };
        rows.map(line).collect()
    }

    /// The weights of a player's features.
    #[inline]
    pub(super) fn row(&self, player: Player, mover: Player, players: u8) -> &Features {
        &self.0[player.turns_until(mover, players)]
    }

    /// What players with these features may expect.
    #[must_use]
    pub fn evaluate(
        &self,
        features: &[Features; MAX_PLAYERS],
        mover: Player,
        players: u8,
    ) -> WinShares {
        let alone = features.map(|numbers| std::array::from_fn(|at| numbers[at]));
        let alone = self.own_sums(&alone, mover, players);
        let compared = |player: Player| {
            let numbers = &features[usize::from(player.number())];
            let number = |at| if at < ALONE { 0.0 } else { numbers[at] };
            std::array::from_fn(|lane| number(LANES + lane))
        };
        self.shares(&alone, compared, mover, players)
    }

    /// The weighed sums of each player's own features.
    #[inline]
    pub(super) fn own_sums(
        &self,
        numbers: &[[f32; ALONE]; MAX_PLAYERS],
        mover: Player,
        players: u8,
    ) -> [Lanes; MAX_PLAYERS] {
        let mut alone = [Lanes::default(); MAX_PLAYERS];
        for player in Player::all(players) {
            let at = usize::from(player.number());
            alone[at] = Lanes::alone(self.row(player, mover, players), &numbers[at]);
        }
        alone
    }

    /// What each player may expect, from the sums of the own features and the features that compare.
    #[inline]
    pub(super) fn shares(
        &self,
        alone: &[Lanes; MAX_PLAYERS],
        compared: impl Fn(Player) -> ComparisonFeatures,
        mover: Player,
        players: u8,
    ) -> WinShares {
        // Players whom the game does not have keep a sum whose power is 0, so no branch asks for them.
        let mut sums = [f32::NEG_INFINITY; MAX_PLAYERS];
        let mut most = f32::NEG_INFINITY;
        let mut distance = Player::FIRST.turns_until(mover, players);
        for player in Player::all(players) {
            let at = usize::from(player.number());
            sums[at] = alone[at].with(&self.0[distance], &compared(player));
            most = most.max(sums[at]);
            distance += 1;
            if distance == usize::from(players) {
                distance = 0;
            }
        }
        let powers = sums.map(|sum| exp(sum - most));
        let scale = 1.0 / powers.iter().sum::<f32>();
        ByPlayer::from_fn(|player| powers[usize::from(player.number())] * scale)
    }
}

/// How many partial sums are kept, so that the additions do not wait for each other.
const LANES: usize = COUNT / 2;

/// The partial sums of features times weights, of a player's own features.
#[derive(Clone, Copy, Default)]
pub(super) struct Lanes([f32; LANES]);

impl Lanes {
    #[inline]
    pub(super) fn alone(weights: &Features, numbers: &[f32; ALONE]) -> Self {
        let mut lanes = [0.0; LANES];
        for at in 0..LANES {
            lanes[at] = weights[at] * numbers[at];
        }
        for at in LANES..ALONE {
            lanes[at - LANES] += weights[at] * numbers[at];
        }
        Lanes(lanes)
    }

    /// Replaces a feature of the first half that shares its lane with no other.
    #[inline]
    pub(super) fn put(&mut self, weights: &Features, at: usize, number: f32) {
        debug_assert!((ALONE - LANES..LANES).contains(&at));
        self.0[at] = weights[at] * number;
    }

    /// The whole sum, with the features that compare the players.
    #[inline]
    fn with(self, weights: &Features, compared: &ComparisonFeatures) -> f32 {
        let mut lanes = self.0;
        for at in 0..LANES {
            lanes[at] += weights[LANES + at] * compared[at];
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        ((a + e) + (b + f)) + ((c + g) + (d + h))
    }
}

/// e to the power of a number that is not positive, to five digits; 0 where the result is 2^-126 or
/// less. It is the same on every machine, which the system's own function is not.
///
/// It has no branch and no conversion to an integer, so that the compiler can vectorise it.
#[inline]
pub(in super::super) fn exp(x: f32) -> f32 {
    // 2^(whole + part): the whole goes into the exponent's bits, the part into a polynomial fitted to
    // 2^part between 0 and 1.
    let twos = (x * std::f32::consts::LOG2_E).max(-126.0);
    let whole = twos.trunc() - 1.0;
    let part = twos - whole;
    // After 2^23 is added, a whole number is in the lowest bits.
    let exponent = (whole + 127.0 + 8_388_608.0).to_bits();
    let power = f32::from_bits(exponent << 23);
    power * (1.0 + part * (0.693_043 + part * (0.241_250 + part * (0.052_352 + part * 0.013_342))))
}

/// A row of `weights.csv` does not fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {0} of the weights cannot be read")]
struct WeightsRowError(usize);

/// Reads a file of weights; features that it does not name weigh nothing.
fn read(file: &str) -> Result<[WeightsByPlayers; RulesFamily::ALL.len()], WeightsRowError> {
    let mut tables: [WeightsByPlayers; RulesFamily::ALL.len()] = Default::default();
    for (number, line) in (1..).zip(file.lines()) {
        if line.starts_with('#') || line.starts_with("kind,") {
            continue;
        }
        put(&mut tables, line).ok_or(WeightsRowError(number))?;
    }
    Ok(tables)
}

fn put(tables: &mut [WeightsByPlayers], line: &str) -> Option<()> {
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

/// The first line of a file of weights.
#[must_use]
pub fn header() -> String {
    format!(
        "kind,players,distance,{}",
        NAMES.map(|name| name.replace(", ", " ")).join(",")
    )
}
