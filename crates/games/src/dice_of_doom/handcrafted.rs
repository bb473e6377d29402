//! A handcrafted evaluator: a linear function of each player's features, and a softmax over the players.
//!
//! The weights of a player's [`features`] depend on the number of turns until the player moves. The features
//! were chosen by hand; their [`weights`] were learned from self-play (docs/strength.md).

use super::action::Action;
use super::position::Position;
use super::rules::DiceOfDoom;
use dice_of_doom_core::game::{MAX_PLAYERS, Player};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

pub mod features;
pub mod weights;

use features::{CountedFeatures, FeatureChange, PlayerStandings, THREATENED};
use weights::{HandcraftedWeights, Lanes};

/// The evaluator with the built-in weights of the game being played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HandcraftedEvaluator;

/// The features of a position and their weighted sums.
#[derive(Clone)]
struct FeatureSums {
    features: CountedFeatures,
    mover: Player,
    /// The weighted sums of each player's own features.
    own_sums: [Lanes; MAX_PLAYERS],
}

impl PositionEvaluator<DiceOfDoom> for HandcraftedEvaluator {
    fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        HandcraftedWeights::for_game(game).win_shares(game, position)
    }

    fn win_shares_after(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        after: &[Position],
        shares: &mut Vec<WinShares>,
    ) {
        HandcraftedWeights::for_game(game).win_shares_after(game, position, after, shares);
    }

    fn prior(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        prior(game, position, action)
    }
}

/// The win probability of an attack; ending the turn counts as 0.5.
#[inline]
pub(super) fn prior(game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
    match action {
        Action::EndTurn => 0.5,
        Action::Attack { from, to } => game
            .attack_win_probability(position, from, to)
            .unwrap_or(0.5) as f32,
    }
}

impl HandcraftedWeights {
    /// The win shares of a position.
    pub fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        let basis = self.feature_sums(game, position);
        self.win_shares_from_sums(game, position, &basis.own_sums, &basis.features.standings)
    }

    /// Appends the win shares of positions that are each one ply after `position`.
    pub fn win_shares_after(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        after: &[Position],
        shares: &mut Vec<WinShares>,
    ) {
        let basis = self.feature_sums(game, position);
        let after = after
            .iter()
            .map(|after| self.win_shares_one_ply_later(game, &basis, after));
        shares.extend(after);
    }

    fn feature_sums(&self, game: &DiceOfDoom, position: &Position) -> FeatureSums {
        let features = CountedFeatures::from_position(game, position);
        let mover = position.player();
        FeatureSums {
            own_sums: self.own_sums(&features.own_features, mover, game.players()),
            features,
            mover,
        }
    }

    /// The win shares of a position one ply after that of `basis`.
    fn win_shares_one_ply_later(
        &self,
        game: &DiceOfDoom,
        basis: &FeatureSums,
        position: &Position,
    ) -> WinShares {
        let (mover, players) = (position.player(), game.players());
        let mut standings = basis.features.standings;
        let mut own_sums = if mover == basis.mover {
            basis.own_sums
        } else {
            // The weights depend on the distance to the mover.
            self.own_sums(&basis.features.own_features, mover, players)
        };
        basis
            .features
            .for_each_change(game, position, |player, change| {
                let row = self.row(player, mover, players);
                let own_sums = &mut own_sums[usize::from(player.number())];
                match change {
                    FeatureChange::Holding(holding) => {
                        standings.set_features(player, &holding);
                        *own_sums = Lanes::from_own_features(row, &holding.features);
                    }
                    FeatureChange::Threatened(threatened) => {
                        own_sums.set_feature(row, THREATENED, threatened)
                    }
                }
            });
        self.win_shares_from_sums(game, position, &own_sums, &standings)
    }

    #[inline]
    fn win_shares_from_sums(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        own_sums: &[Lanes; MAX_PLAYERS],
        standings: &PlayerStandings,
    ) -> WinShares {
        let mover = position.player();
        let comparison = standings.compare(game, mover);
        let comparison_features = |player| comparison.features_of(player);
        self.softmax(own_sums, comparison_features, mover, game.players())
    }
}
