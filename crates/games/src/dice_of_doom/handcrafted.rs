//! How a game will end, estimated by weights: what each player has, and who is next.
//!
//! The weights of a player's [`features`] depend on how far away the player's turn is; a softmax of the
//! weighed sums is the forecast. The features were chosen by hand; their weights are in [`weights`] and
//! were found by `dice-of-doom-lab tune`.

use super::action::Action;
use super::position::Position;
use super::rules::DiceOfDoom;
use dice_of_doom_core::game::{MAX_PLAYERS, Player};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

pub mod features;
pub mod weights;

use features::{CountedFeatures, FeatureChange, PlayerStandings, THREATENED};
use weights::{HandcraftedWeights, Lanes};

/// The forecast with the weights of the game that is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HandcraftedEvaluator;

/// The forecast with weights of one's own.
#[derive(Clone, Copy, Debug)]
pub struct WeightedEvaluator<'w>(pub &'w HandcraftedWeights);

/// What was counted on a board, and its weighed sums.
#[derive(Clone)]
struct FeatureSums {
    counted: CountedFeatures,
    mover: Player,
    /// The weighed sums of each player's own features.
    alone: [Lanes; MAX_PLAYERS],
}

impl PositionEvaluator<DiceOfDoom> for HandcraftedEvaluator {
    fn win_shares_after(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        after: &[Position],
        shares: &mut Vec<WinShares>,
    ) {
        WeightedEvaluator(HandcraftedWeights::of(game)).win_shares_after(game, position, after, shares);
    }

    fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        WeightedEvaluator(HandcraftedWeights::of(game)).win_shares(game, position)
    }

    fn prior(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        prior(game, position, action)
    }
}

impl PositionEvaluator<DiceOfDoom> for WeightedEvaluator<'_> {
    fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        let basis = self.basis(game, position);
        self.finish(game, position, &basis.alone, &basis.counted.standing)
    }

    fn win_shares_after(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        after: &[Position],
        shares: &mut Vec<WinShares>,
    ) {
        let basis = self.basis(game, position);
        let after = after.iter().map(|after| self.after(game, &basis, after));
        shares.extend(after);
    }

    fn prior(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        prior(game, position, action)
    }
}

/// The odds of an attack; the end of the turn counts like an attack with even odds.
#[inline]
pub(super) fn prior(game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
    match action {
        Action::EndTurn => 0.5,
        Action::Attack { from, to } => game.attack_win_probability(position, from, to).unwrap_or(0.5) as f32,
    }
}

impl WeightedEvaluator<'_> {
    fn basis(&self, game: &DiceOfDoom, position: &Position) -> FeatureSums {
        let counted = CountedFeatures::of(game, position);
        let mover = position.player();
        FeatureSums {
            alone: self.0.own_sums(&counted.alone, mover, game.players()),
            counted,
            mover,
        }
    }

    /// The shares of a position one ply after that of the basis.
    fn after(&self, game: &DiceOfDoom, basis: &FeatureSums, position: &Position) -> WinShares {
        let (mover, players) = (position.player(), game.players());
        let mut standing = basis.counted.standing;
        let mut alone = if mover == basis.mover {
            basis.alone
        } else {
            // In another player's turn the same features have other weights.
            self.0.own_sums(&basis.counted.alone, mover, players)
        };
        basis.counted.for_each_change(game, position, |player, change| {
            let row = self.0.row(player, mover, players);
            let alone = &mut alone[usize::from(player.number())];
            match change {
                FeatureChange::Holding(holding) => {
                    standing.set_features(player, &holding);
                    *alone = Lanes::alone(row, &holding.numbers);
                }
                FeatureChange::Threatened(threatened) => alone.put(row, THREATENED, threatened),
            }
        });
        self.finish(game, position, &alone, &standing)
    }

    #[inline]
    fn finish(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        alone: &[Lanes; MAX_PLAYERS],
        standing: &PlayerStandings,
    ) -> WinShares {
        let mover = position.player();
        let comparison = standing.compare(game, mover);
        let compared = |player| comparison.of(player);
        self.0.shares(alone, compared, mover, game.players())
    }
}
