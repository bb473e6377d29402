//! How lucky players were with the dice: shares that are adjusted for it tell from fewer games who is stronger.
//!
//! The luck of a roll is what is forecast of the position that came of it, less the mean of what is forecast of all
//! outcomes of the action. Before the dice fall its mean is zero, whatever the forecast says. So a share less a part of
//! its luck has the same mean as the share, and a smaller variance where the forecast is good. Results are adjusted so
//! in backgammon, where it is called variance reduction, and in poker (Zinkevich, Bowling, Bard, Kan and Billings,
//! *Optimal unbiased estimators for evaluating agent performance*, 2006).
//!
//! Which [part](LuckAdjustment) is taken is learnt from the games, as the weight of a [control variate](super::control_variate): the
//! forecast supposes that everybody plays well, and where one is far stronger than the others luck decides less than is
//! forecast.
//!
//! The luck of a deal is not counted: everybody plays from every place of a board.

use super::board::BoardResult;
use super::control_variate;
use super::estimate::Estimate;
use dice_of_doom_core::game::{ByPlayer, Game, Player};
use dice_of_doom_core::level::AgentProvider;
use dice_of_doom_core::search::PositionEvaluator;

/// The parts of a won game in which luck is kept: whole numbers are the same again when a file is read.
const MILLIONTHS: f64 = 1e6;

/// The luck of one game so far.
pub(super) struct LuckEstimator<G> {
    /// By what it is told; games without a forecast have no luck.
    evaluator: Option<Box<dyn PositionEvaluator<G>>>,
    sums: ByPlayer<f64>,
}

impl<G: Game> LuckEstimator<G> {
    /// None so far, told by what the strong levels expect.
    pub(super) fn new() -> Self
    where
        G: AgentProvider,
    {
        LuckEstimator::with_evaluator(G::evaluator())
    }

    fn with_evaluator(forecast: Option<Box<dyn PositionEvaluator<G>>>) -> Self {
        let sums = ByPlayer::default();
        LuckEstimator { evaluator: forecast, sums }
    }

    /// Counts what chance answered to an action.
    pub(super) fn add_roll(
        &mut self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        came: G::Outcome,
    ) {
        let lottery = || game.chance_outcomes(position, action);
        let Some(forecast) = self
            .evaluator
            .as_ref()
            .filter(|_| lottery().nth(1).is_some())
        else {
            return;
        };
        let outcomes = lottery().map(|(outcome, probability)| {
            let after = game.apply(position, action, outcome);
            let shares = forecast.value(game, &after);
            let is_here = f64::from(u8::from(outcome == came));
            (is_here - probability, shares)
        });
        for (part, shares) in outcomes {
            for player in Player::all(game.players()) {
                self.sums[player] += part * f64::from(shares[player]);
            }
        }
    }

    /// The luck of each player, in millionths of a won game.
    pub(super) fn millionths(&self, game: &G) -> Vec<i32> {
        let rounded = |player| (self.sums[player] * MILLIONTHS).round() as i32;
        Player::all(game.players()).map(rounded).collect()
    }
}

/// Millionths of a won game, in won games.
pub(super) fn to_games(millionths: i32) -> f64 {
    f64::from(millionths) / MILLIONTHS
}

/// Shares at one table, less a part of their luck.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LuckAdjustment {
    weight: f64,
}

impl LuckAdjustment {
    /// Shares as they are.
    pub const NONE: Self = LuckAdjustment { weight: 0.0 };

    /// What makes the shares of all seats vary least over these boards; nothing is adjusted where they are few.
    ///
    /// It is one number for a table, so that adjusted shares sum to what shares do.
    #[must_use]
    pub fn fit(boards: &[BoardResult]) -> Self {
        let seats = 0..boards.first().map_or(0, |board| board.games.len());
        let measured = seats.map(|seat| {
            let shares = boards.iter().map(|board| board.mean_share(seat));
            let lucks = boards.iter().map(|board| board.mean_luck(seat));
            (shares.collect(), lucks.collect())
        });
        let weight = control_variate::weight(&measured.collect::<Vec<_>>());
        LuckAdjustment { weight }
    }

    /// The estimate of what some seats got together, each board's the mean of theirs.
    #[must_use]
    pub fn estimate(self, boards: &[BoardResult], seats: &[usize]) -> Estimate {
        let mean = |of: &dyn Fn(&BoardResult, usize) -> f64| -> Vec<f64> {
            let of_board = |board| seats.iter().map(|&seat| of(board, seat)).sum::<f64>();
            let each = boards.iter().map(of_board);
            each.map(|sum| sum / seats.len() as f64).collect()
        };
        let [shares, lucks] = [
            mean(&BoardResult::mean_share),
            mean(&BoardResult::mean_luck),
        ];
        Estimate::adjusted(&shares, &lucks, self.weight)
    }

    /// How much of the luck is taken from the shares; 0 where there was none.
    #[must_use]
    pub const fn weight(self) -> f64 {
        self.weight
    }

    /// What a seat got over all rotations of a board, adjusted.
    #[must_use]
    pub fn mean_share(self, board: &BoardResult, seat: usize) -> f64 {
        board.mean_share(seat) - self.weight * board.mean_luck(seat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play_board;
    use dice_of_doom_core::game::PlayerSet;
    use dice_of_doom_core::level::{Level, LevelSpec};
    use dice_of_doom_core::search::{WinShares, win_shares_of_payoffs};
    use dice_of_doom_games::dice_of_doom::{
        Action, DiceOfDoom, Outcome, Position, Rules, Setup, win_probability,
    };
    use dice_of_doom_games::trilobite::Trilobite;

    /// Gives everything to whoever has most hexes.
    struct Crude;

    impl PositionEvaluator<DiceOfDoom> for Crude {
        fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
            let payoffs = game.adjudicate(position, PlayerSet::default());
            win_shares_of_payoffs(payoffs, game.players())
        }

        fn prior(&self, _: &DiceOfDoom, _: &Position, _: Action) -> f32 {
            1.0
        }
    }

    #[test]
    fn the_luck_of_a_roll_by_hand() {
        // a-3 b-1
        //  a-1 b-2     Who wins the attack has three hexes of four and everything, who loses it a half.
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
            counted.add_roll(&game, &start, Action::EndTurn, Outcome::Sure);
            let luck = (luck * 1e6).round() as i32;
            assert_eq!(counted.millionths(&game), [luck, -luck], "{outcome:?}");
        }
    }

    /// One of the first level among those of the second.
    fn played(game: &DiceOfDoom, [one, others]: [Level; 2], boards: u32) -> Vec<BoardResult> {
        let mut seats = vec![LevelSpec::from(others); usize::from(game.players())];
        seats[0] = one.into();
        let boards = (0..boards).map(|board| play_board(game, 1, board, &seats).unwrap());
        boards.collect()
    }

    /// How wide the interval of the first seat's share is with this weight, where it is 1 without.
    fn width(boards: &[BoardResult], weight: f64) -> f64 {
        let of = |adjustment: LuckAdjustment| adjustment.estimate(boards, &[0]).half_width();
        of(LuckAdjustment { weight }) / of(LuckAdjustment::NONE)
    }

    #[test]
    fn luck_is_nothing_on_the_mean_and_decides_much() {
        let table = DiceOfDoom::preset(Rules::V4);
        let boards = played(&table, [Level::Expert, Level::Advanced], 100);
        for game in boards.iter().flat_map(|board| &board.games) {
            let sum: i32 = game.luck_millionths.iter().sum();
            assert!(sum.abs() <= 2, "seed 1: {game:?}");
        }
        let lucks: Vec<f64> = boards.iter().map(|board| board.mean_luck(0)).collect();
        let luck = Estimate::from_samples(&lucks);
        // Four deviations: by chance once in 16,000 seeds.
        assert!(
            luck.mean.abs() < 2.0 * luck.half_width(),
            "seed 1: {luck:?}"
        );
        let width = width(&boards, LuckAdjustment::fit(&boards).weight());
        assert!(width < 0.75, "seed 1: {width}");
    }

    #[test]
    fn only_as_much_luck_is_taken_as_decided() {
        // The book is no match for expert, whatever the dice say: all of the luck would be too much.
        let duel = DiceOfDoom::new(Rules::V4, 5, 2, 5).unwrap();
        let boards = played(&duel, [Level::Expert, Level::Book], 100);
        let weight = LuckAdjustment::fit(&boards).weight();
        let [whole, part] = [1.0, weight].map(|weight| width(&boards, weight));
        assert!(
            whole > 1.1 && part < 1.02,
            "seed 1: {whole} {part} {weight}"
        );
    }

    #[test]
    fn nobody_is_lucky_without_dice() {
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
