//! How lucky players were with the dice: shares that are adjusted for it tell from fewer games who is stronger.
//!
//! The luck of a roll is what is forecast of the position that came of it, less the mean of what is forecast of all
//! outcomes of the action. Before the dice fall its mean is zero, whatever the forecast says. So a share less a part of
//! its luck has the same mean as the share, and a smaller variance where the forecast is good. Results are adjusted so
//! in backgammon, where it is called variance reduction, and in poker (Zinkevich, Bowling, Bard, Kan and Billings,
//! *Optimal unbiased estimators for evaluating agent performance*, 2006).
//!
//! Which [part](Adjustment) is taken is learnt from the games: the forecast supposes that everybody plays well, and
//! where one is far stronger than the others its luck decides less than is forecast. That is the regression of control
//! variates (Lavenberg and Welch, *A perspective on the use of control variables*, 1981).
//!
//! The luck of a deal is not counted: everybody plays from every place of a board.

use super::board::{BoardResult, GameResult};
use dice_of_doom_core::game::{ByPlayer, Game, Player};
use dice_of_doom_core::level::Levelled;
use dice_of_doom_core::search::Forecast;

/// Parts of a won game in which luck is kept: whole numbers are the same again when a file is read.
const PARTS: f64 = 1e6;

/// The luck of one game so far.
pub(super) struct Luck<G> {
    /// By what it is told; games without a forecast have no luck.
    forecast: Option<Box<dyn Forecast<G>>>,
    sums: ByPlayer<f64>,
}

impl<G: Game> Luck<G> {
    /// None so far, told by what the strong levels expect.
    pub(super) fn new() -> Self
    where
        G: Levelled,
    {
        Luck::by(G::forecast())
    }

    fn by(forecast: Option<Box<dyn Forecast<G>>>) -> Self {
        let sums = ByPlayer::default();
        Luck { forecast, sums }
    }

    /// Counts what chance answered to an action.
    pub(super) fn count(
        &mut self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        after: &G::Position,
    ) {
        let lottery = || game.lottery(position, action);
        let Some(forecast) = self
            .forecast
            .as_ref()
            .filter(|_| lottery().nth(1).is_some())
        else {
            return;
        };
        let came = forecast.expectation(game, after);
        let others = lottery().map(|(outcome, probability)| {
            let after = game.play(position, action, outcome);
            (probability, forecast.expectation(game, &after))
        });
        let others: Vec<_> = others.collect();
        for player in Player::all(game.players()) {
            let parts = others.iter();
            let parts = parts.map(|(probability, shares)| probability * f64::from(shares[player]));
            self.sums[player] += f64::from(came[player]) - parts.sum::<f64>();
        }
    }

    /// The luck of each player, in millionths of a won game.
    pub(super) fn millionths(&self, game: &G) -> Vec<i32> {
        let rounded = |player| (self.sums[player] * PARTS).round() as i32;
        Player::all(game.players()).map(rounded).collect()
    }
}

/// Millionths of a won game, in won games.
pub(super) fn in_games(millionths: i32) -> f64 {
    f64::from(millionths) / PARTS
}

/// Shares at one table, less a part of their luck.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adjustment {
    weight: f64,
}

impl Adjustment {
    /// Shares as they are.
    pub const NONE: Self = Adjustment { weight: 0.0 };

    /// So many boards tell how much luck decides; with fewer, nothing is adjusted.
    pub const LEAST_BOARDS: usize = 20;

    /// What makes the shares of all seats vary least over these boards.
    ///
    /// It is one number for a table, so that adjusted shares sum to what shares do.
    #[must_use]
    pub fn of(boards: &[BoardResult]) -> Self {
        if boards.len() < Adjustment::LEAST_BOARDS {
            return Adjustment::NONE;
        }
        let (mut together, mut alone) = (0.0, 0.0);
        for seat in 0..boards[0].games.len() {
            let lucks = || boards.iter().map(|board| board.mean_luck(seat));
            let mean = lucks().sum::<f64>() / boards.len() as f64;
            for (board, luck) in boards.iter().zip(lucks()) {
                together += (luck - mean) * board.mean_share(seat);
                alone += (luck - mean).powi(2);
            }
        }
        let weight = if alone > 0.0 { together / alone } else { 0.0 };
        Adjustment { weight }
    }

    /// How much of the luck is taken from the shares; 0 where there was none.
    #[must_use]
    pub const fn weight(self) -> f64 {
        self.weight
    }

    /// What a player got in a game, adjusted; one game's can be below 0 or above 1.
    #[must_use]
    pub fn share(self, game: &GameResult, player: Player) -> f64 {
        game.share(player) - self.weight * game.luck(player)
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
    use crate::{Estimate, play_board};
    use dice_of_doom_core::game::Players;
    use dice_of_doom_core::level::{Level, Strength};
    use dice_of_doom_core::search::{Shares, results};
    use dice_of_doom_games::dice_of_doom::{
        Action, DiceOfDoom, Outcome, Position, Rules, Setup, exact_odds,
    };
    use dice_of_doom_games::trilobite::Trilobite;

    /// Gives everything to whoever has most hexes.
    struct Crude;

    impl Forecast<DiceOfDoom> for Crude {
        fn shares(&self, game: &DiceOfDoom, position: &Position) -> Shares {
            let payoffs = game.adjudicate(position, Players::default());
            results(payoffs, game.players())
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
        let odds = exact_odds(3, 1);
        for (outcome, luck) in [
            (Outcome::Won, 0.5 * (1.0 - odds)),
            (Outcome::Lost, -0.5 * odds),
        ] {
            let mut counted = Luck::by(Some(Box::new(Crude)));
            let after = game.play(&start, attack, outcome);
            counted.count(&game, &start, attack, &after);
            let end = game.play(&start, Action::EndTurn, Outcome::Sure);
            counted.count(&game, &start, Action::EndTurn, &end);
            let luck = (luck * 1e6).round() as i32;
            assert_eq!(counted.millionths(&game), [luck, -luck], "{outcome:?}");
        }
    }

    /// The first level among those of the second: how wide the interval of its share is after the adjustment,
    /// where it was 1 before.
    fn width(game: &DiceOfDoom, [one, others]: [Level; 2]) -> f64 {
        const BOARDS: u32 = 100;
        let mut seats = vec![Strength::from(others); usize::from(game.players())];
        seats[0] = one.into();
        let boards = (0..BOARDS).map(|board| play_board(game, 1, board, &seats).unwrap());
        let boards: Vec<_> = boards.collect();
        for game in boards.iter().flat_map(|board| &board.games) {
            let sum: i32 = game.luck.iter().sum();
            assert!(sum.abs() <= 2, "seed 1: {game:?}");
        }
        let estimate = |of: &dyn Fn(&BoardResult) -> f64| {
            let each: Vec<f64> = boards.iter().map(of).collect();
            Estimate::of(&each)
        };
        let luck = estimate(&|board| board.mean_luck(0));
        assert!(luck.low < 0.0 && 0.0 < luck.high, "seed 1: {luck:?}");
        let adjustment = Adjustment::of(&boards);
        let adjusted = estimate(&|board| adjustment.mean_share(board, 0));
        adjusted.half_width() / estimate(&|board| board.mean_share(0)).half_width()
    }

    #[test]
    fn luck_is_nothing_on_the_mean_and_decides_much() {
        let table = DiceOfDoom::preset(Rules::V4);
        let among_equals = width(&table, [Level::Expert, Level::Advanced]);
        assert!(among_equals < 0.75, "seed 1: {among_equals}");
        // Here the forecast is far from what happens, and its whole luck would make the interval wider.
        let duel = DiceOfDoom::new(Rules::V4, 5, 2, 5).unwrap();
        let unequal = width(&duel, [Level::Expert, Level::Book]);
        assert!(unequal < 1.0, "seed 1: {unequal}");
    }

    #[test]
    fn a_few_boards_are_not_adjusted() {
        let game = DiceOfDoom::new(Rules::V4, 3, 2, 5).unwrap();
        let seats = [Level::Greedy, Level::Random].map(Strength::from);
        let boards = (0..20).map(|board| play_board(&game, 1, board, &seats).unwrap());
        let boards: Vec<_> = boards.collect();
        assert_eq!(Adjustment::of(&boards[..19]), Adjustment::NONE);
        assert!(Adjustment::of(&boards).weight() > 0.0);
    }

    #[test]
    fn nobody_is_lucky_without_dice() {
        let game = Trilobite::new(5, 4, 4).unwrap();
        let seats = [Level::Random, Level::Random].map(Strength::from);
        let board = play_board(&game, 1, 0, &seats).unwrap();
        assert!(board.games.iter().all(|game| game.luck == [0, 0]));
    }
}
