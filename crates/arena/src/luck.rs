//! Luck with the dice: adjusting results for it needs fewer games to find out who is stronger.
//!
//! The luck of a roll is the evaluation of the position after it, minus the expected evaluation over all outcomes of the
//! action. Before the roll its mean is zero, whatever the evaluator. A share minus a part of its luck therefore has the
//! same mean as the share, and a smaller variance if the evaluator is good. Results are adjusted in this way in
//! backgammon, where it is called variance reduction, and in poker (Zinkevich, Bowling, Bard, Kan and Billings,
//! *Optimal unbiased estimators for evaluating agent performance*, 2006).
//!
//! The [part](LuckAdjustment) to subtract is estimated from the games, as the weight of a [control
//! variate](super::control_variate): the evaluator assumes strong play by all, and if one player is far stronger than
//! the others, luck affects the result less than the evaluations suggest.
//!
//! The luck of the deal is not included: each contestant plays from every start of a board.

use super::board_result::{BoardResult, MILLIONTHS};
use super::control_variate;
use super::estimate::Estimate;
use dice_of_doom_core::game::{ByPlayer, Game, Player};
use dice_of_doom_core::level::AgentProvider;
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

/// Accumulates the luck of each player in one game.
pub(super) struct LuckEstimator<G> {
    /// `None` for games without an evaluator, which have no luck.
    evaluator: Option<Box<dyn PositionEvaluator<G>>>,
    sums: ByPlayer<f64>,
}

impl<G: Game> LuckEstimator<G> {
    /// Starts at zero, with the evaluator of the strong levels.
    pub(super) fn new() -> Self
    where
        G: AgentProvider,
    {
        LuckEstimator::with_evaluator(G::evaluator())
    }

    fn with_evaluator(evaluator: Option<Box<dyn PositionEvaluator<G>>>) -> Self {
        let sums = ByPlayer::default();
        LuckEstimator { evaluator, sums }
    }

    /// Adds the luck of one chance outcome of an action.
    pub(super) fn add_roll(
        &mut self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        rolled: G::Outcome,
    ) {
        let outcomes_of_action = || game.chance_outcomes(position, action);
        let Some(evaluator) = self
            .evaluator
            .as_ref()
            .filter(|_| outcomes_of_action().nth(1).is_some())
        else {
            return;
        };
        let outcomes = outcomes_of_action().map(|(outcome, probability)| {
            let after = game.apply(position, action, outcome);
            let shares = evaluator.value(game, &after);
            let happened = f64::from(u8::from(outcome == rolled));
            (happened - probability, shares)
        });
        for (factor, shares) in outcomes {
            for player in Player::all(game.players()) {
                self.sums[player] += factor * f64::from(shares[player]);
            }
        }
    }

    /// The evaluation of a position; `None` for games without an evaluator.
    pub(super) fn evaluation(&self, game: &G, position: &G::Position) -> Option<WinShares> {
        let evaluator = self.evaluator.as_ref()?;
        Some(evaluator.value(game, position))
    }

    /// The luck of each player, in millionths of a won game.
    pub(super) fn to_millionths(&self, game: &G) -> Vec<i32> {
        let rounded = |player| (self.sums[player] * MILLIONTHS).round() as i32;
        Player::all(game.players()).map(rounded).collect()
    }
}

/// Adjusts the shares at one table by subtracting a part of their luck.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LuckAdjustment {
    weight: f64,
}

impl LuckAdjustment {
    /// No adjustment.
    pub const NONE: Self = LuckAdjustment { weight: 0.0 };

    /// The weight that minimises the variance of all seats' shares over these boards; no adjustment if there are too
    /// few boards.
    ///
    /// All seats of a table have the same weight, so that the adjusted shares have the same sum as the shares.
    #[must_use]
    pub fn fit(boards: &[BoardResult]) -> Self {
        let seats = 0..boards.first().map_or(0, |board| board.games.len());
        let by_seat = seats.map(|seat| {
            let shares = boards.iter().map(|board| board.mean_win_share(seat));
            let lucks = boards.iter().map(|board| board.mean_luck(seat));
            (shares.collect(), lucks.collect())
        });
        let weight = control_variate::fit_weight(&by_seat.collect::<Vec<_>>());
        LuckAdjustment { weight }
    }

    /// The estimate of the mean share of some seats; the sample of each board is the mean over these seats.
    #[must_use]
    pub fn estimate(self, boards: &[BoardResult], seats: &[usize]) -> Estimate {
        let mean = |value: &dyn Fn(&BoardResult, usize) -> f64| -> Vec<f64> {
            let sum_over_seats = |board| seats.iter().map(|&seat| value(board, seat)).sum::<f64>();
            let each = boards.iter().map(sum_over_seats);
            each.map(|sum| sum / seats.len() as f64).collect()
        };
        let [shares, lucks] = [
            mean(&BoardResult::mean_win_share),
            mean(&BoardResult::mean_luck),
        ];
        Estimate::adjusted(&shares, &lucks, self.weight)
    }

    /// The part of the luck that is subtracted from the shares; 0 if there was none.
    #[must_use]
    pub const fn weight(self) -> f64 {
        self.weight
    }

    /// The mean share of a seat over all rotations of a board, adjusted.
    #[must_use]
    pub fn mean_win_share(self, board: &BoardResult, seat: usize) -> f64 {
        board.mean_win_share(seat) - self.weight * board.mean_luck(seat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play_board;
    use dice_of_doom_core::game::PlayerSet;
    use dice_of_doom_core::level::{Level, LevelSpec};
    use dice_of_doom_games::dice_of_doom::{
        Action, DiceOfDoom, Outcome, Position, Rules, Setup, win_probability,
    };
    use dice_of_doom_games::trilobite::Trilobite;

    /// Gives the whole win share to the leaders of a count of hexes.
    struct Crude;

    impl PositionEvaluator<DiceOfDoom> for Crude {
        fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
            let payoffs = game.adjudicate(position, PlayerSet::default());
            payoffs.win_shares(game.players())
        }

        fn prior(&self, _: &DiceOfDoom, _: &Position, _: Action) -> f32 {
            1.0
        }
    }

    #[test]
    fn luck_of_a_roll_of_a_worked_example() {
        // a-3 b-1
        //  a-1 b-2     If the attack succeeds, a has three of four hexes and share 1, otherwise 1/2.
        let game = DiceOfDoom::new(Rules::V4, 2, 2, 5).unwrap();
        let setup = Setup::start(vec![(0, 3), (1, 1), (0, 1), (1, 2)]);
        let start = game.position(&setup).unwrap();
        let attack: Action = "0-1".parse().unwrap();
        let odds = win_probability(3, 1);
        for (outcome, luck) in [
            (Outcome::Won, 0.5 * (1.0 - odds)),
            (Outcome::Lost, -0.5 * odds),
        ] {
            let mut counted = LuckEstimator::with_evaluator(Some(Box::new(Crude)));
            counted.add_roll(&game, &start, attack, outcome);
            counted.add_roll(&game, &start, Action::EndTurn, Outcome::Certain);
            let luck = (luck * 1e6).round() as i32;
            assert_eq!(counted.to_millionths(&game), [luck, -luck], "{outcome:?}");
        }
    }

    /// Plays one contestant of the first level against the second level in all other seats.
    fn played(game: &DiceOfDoom, [one, others]: [Level; 2], boards: u32) -> Vec<BoardResult> {
        let mut seats = vec![LevelSpec::from(others); usize::from(game.players())];
        seats[0] = one.into();
        let boards = (0..boards).map(|board| play_board(game, 1, board, &seats).unwrap());
        boards.collect()
    }

    /// The width of the interval of the first seat's share with this weight, relative to that without adjustment.
    fn width(boards: &[BoardResult], weight: f64) -> f64 {
        let half_width =
            |adjustment: LuckAdjustment| adjustment.estimate(boards, &[0]).half_width();
        half_width(LuckAdjustment { weight }) / half_width(LuckAdjustment::NONE)
    }

    #[test]
    fn luck_has_mean_zero_and_explains_much_variance() {
        let table = DiceOfDoom::preset(Rules::V4);
        let boards = played(&table, [Level::Expert, Level::Advanced], 100);
        for game in boards.iter().flat_map(|board| &board.games) {
            let sum: i32 = game.luck_millionths.iter().sum();
            assert!(sum.abs() <= 2, "seed 1: {game:?}");
        }
        let lucks: Vec<f64> = boards.iter().map(|board| board.mean_luck(0)).collect();
        let mean = lucks.iter().sum::<f64>() / lucks.len() as f64;
        let (_, error) = control_variate::error_of_mean(&lucks, &lucks, 0.0);
        // Four standard errors: exceeded by chance once in 16,000 seeds.
        assert!(mean.abs() < 4.0 * error, "seed 1: {mean} ± {error}");
        let width = width(&boards, LuckAdjustment::fit(&boards).weight());
        assert!(width < 0.75, "seed 1: {width}");
    }

    #[test]
    fn weight_is_reduced_if_luck_matters_less() {
        // The book level loses to expert regardless of the dice, so weight 1 would subtract too much.
        let duel = DiceOfDoom::new(Rules::V4, 5, 2, 5).unwrap();
        let boards = played(&duel, [Level::Expert, Level::Book], 100);
        let weight = LuckAdjustment::fit(&boards).weight();
        let [full, part] = [1.0, weight].map(|weight| width(&boards, weight));
        assert!(full > 1.1 && part < 1.02, "seed 1: {full} {part} {weight}");
    }

    #[test]
    fn games_without_dice_have_no_luck() {
        let game = Trilobite::new(5, 4, 4).unwrap();
        let seats = [Level::Random, Level::Random].map(LevelSpec::from);
        let board = play_board(&game, 1, 0, &seats).unwrap();
        assert!(
            board
                .games
                .iter()
                .all(|game| game.luck_millionths == [0, 0])
        );
    }
}
