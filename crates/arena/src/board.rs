//! One dealt board, played in all rotations.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::ArenaGame;
use super::luck::{self, LuckEstimator};
use super::match_player::{MatchPlayer, PlayerFactory, PlayerFault};
use super::rng_keys::GameKey;
use super::seating::seat_of;
use dice_of_doom_core::game::{Payoffs, Player, PlayerSet, Status};
use dice_of_doom_core::level::ObservedAction;
use dice_of_doom_core::record::{Ending, Entry, MAX_PLIES, Ply, Record};

/// What happened at one board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardResult {
    /// One game a rotation, in order.
    pub games: Vec<GameResult>,
    /// What the decisions of each seat cost, over all rotations.
    pub work: Vec<DecisionCost>,
}

/// How one game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameResult {
    /// The players who won together; none is a draw.
    pub winners: Vec<Player>,
    /// How many plies it had.
    pub plies: u32,
    /// What ended it.
    pub end: GameEndReason,
    /// How lucky each player was with the dice, in millionths of a won game; together zero, but for rounding.
    pub luck_millionths: Vec<i32>,
}

/// What ended a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameEndReason {
    /// The rules ended it.
    Rules,
    /// It was counted after [`MAX_PLIES`].
    Limit,
    /// Somebody had no legal answer; the others were counted.
    Forfeit(Forfeit),
}

/// Who forfeited a game, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forfeit {
    /// Who it was.
    pub player: Player,
    /// At which ply.
    pub ply: u32,
    /// The fault, with its line.
    pub why: PlayerFault,
}

impl GameEndReason {
    /// Who forfeited, if anybody did.
    #[must_use]
    pub const fn forfeit(&self) -> Option<&Forfeit> {
        match self {
            GameEndReason::Forfeit(forfeit) => Some(forfeit),
            GameEndReason::Rules | GameEndReason::Limit => None,
        }
    }
}

/// The cost of some decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionCost {
    /// How many decisions.
    pub decisions: u64,
    /// Positions looked at for them.
    pub positions: u64,
    /// Their total time in nanoseconds.
    pub nanos: u64,
}

impl DecisionCost {
    /// The sum of both.
    #[must_use]
    pub fn and(self, other: DecisionCost) -> DecisionCost {
        DecisionCost {
            decisions: self.decisions + other.decisions,
            positions: self.positions + other.positions,
            nanos: self.nanos + other.nanos,
        }
    }

    /// Mean time per decision in milliseconds; 0 when there was none.
    #[must_use]
    pub fn ms_per_decision(self) -> f64 {
        self.nanos as f64 / 1e6 / self.decisions.max(1) as f64
    }

    /// Mean number of positions per decision; 0 when there was none.
    #[must_use]
    pub fn positions_per_decision(self) -> f64 {
        self.positions as f64 / self.decisions.max(1) as f64
    }
}

impl GameResult {
    /// What a player got, 0..=1: tied winners share one game, and of a draw without winners a player
    /// of two gets half. It is the scale of [`dice_of_doom_core::search::results`], in double precision.
    #[must_use]
    pub fn share(&self, player: Player) -> f64 {
        let payoffs = Payoffs::for_winners(self.winners.iter().copied().collect());
        (payoffs.payoff(player) + 1.0) / 2.0
    }

    /// How lucky a player was with the dice, in won games; 0 of whom nothing is said.
    #[must_use]
    pub fn luck(&self, player: Player) -> f64 {
        let luck = self.luck_millionths.get(usize::from(player.number()));
        luck.copied().map_or(0.0, luck::to_games)
    }
}

impl BoardResult {
    /// What a seat got in a rotation.
    #[must_use]
    pub fn share(&self, seat: usize, rotation: u8) -> f64 {
        self.games[usize::from(rotation)].share(self.player(seat, rotation))
    }

    /// Which player a seat was in a rotation.
    #[must_use]
    pub fn player(&self, seat: usize, rotation: u8) -> Player {
        let players = self.players();
        Player::all(players)
            .find(|&player| seat_of(player, rotation, players) == seat)
            .expect("every seat plays somebody")
    }

    /// The mean of what a seat got over all rotations: the unit of the arena's statistics.
    #[must_use]
    pub fn mean_share(&self, seat: usize) -> f64 {
        self.mean(seat, GameResult::share)
    }

    /// The mean luck of a seat over all rotations.
    #[must_use]
    pub fn mean_luck(&self, seat: usize) -> f64 {
        self.mean(seat, GameResult::luck)
    }

    fn mean(&self, seat: usize, of: impl Fn(&GameResult, Player) -> f64) -> f64 {
        let rotations = (0..self.players()).zip(&self.games);
        let each = rotations.map(|(rotation, game)| of(game, self.player(seat, rotation)));
        each.sum::<f64>() / f64::from(self.players())
    }

    /// The number of players, which is also that of seats and of rotations.
    fn players(&self) -> u8 {
        self.games.len() as u8
    }

    /// Whether this can be the result of a board with so many players.
    pub(super) fn fits(&self, players: u8) -> bool {
        let number = usize::from(players);
        let sits = |player: &Player| player.number() < players;
        self.games.len() == number
            && self.work.len() == number
            && self.games.iter().all(|game| {
                let forfeit = game.end.forfeit();
                game.luck_millionths.len() == number
                    && game.winners.iter().all(sits)
                    && forfeit.is_none_or(|who| sits(&who.player))
            })
    }
}

/// Plays all rotations of a board; the records are in the order of the rotations.
pub(super) fn play<G: ArenaGame, E: PlayerFactory<G>>(
    game: &G,
    start: &G::Position,
    seats: &[E],
    key: impl Fn(u8) -> GameKey,
) -> (BoardResult, Vec<Record<G>>) {
    let mut work = vec![DecisionCost::default(); seats.len()];
    let rotations = 0..game.players();
    let games = rotations.map(|rotation| {
        let mut played = RotationGame::new(game, start, seats, rotation);
        let result = played.play(key(rotation));
        for chair in played.chairs {
            work[chair.seat] = work[chair.seat].and(chair.work);
        }
        (result, played.record)
    });
    let (games, records) = games.unzip();
    (BoardResult { games, work }, records)
}

/// The game of one rotation, under way.
struct RotationGame<'s, G: ArenaGame> {
    record: Record<G>,
    /// One chair for each player, in order.
    chairs: Vec<SeatedPlayer<'s, G>>,
    /// What was decided so far.
    line: Vec<ObservedAction<G>>,
    luck: LuckEstimator<G>,
}

/// An entrant in one game.
struct SeatedPlayer<'s, G> {
    seat: usize,
    sitter: Box<dyn MatchPlayer<G> + 's>,
    work: DecisionCost,
}

impl<'s, G: ArenaGame> RotationGame<'s, G> {
    fn new(
        game: &G,
        start: &G::Position,
        seats: &'s [impl PlayerFactory<G>],
        rotation: u8,
    ) -> Self {
        let players = game.players();
        let chairs = Player::all(players).map(|player| {
            let seat = seat_of(player, rotation, players);
            SeatedPlayer {
                seat,
                sitter: seats[seat].create_player(),
                work: DecisionCost::default(),
            }
        });
        RotationGame {
            record: Record::new(*game, start.clone()),
            chairs: chairs.collect(),
            line: Vec::new(),
            luck: LuckEstimator::new(),
        }
    }

    fn play(&mut self, key: GameKey) -> GameResult {
        let game = self.record.game;
        let mut position = self.record.start.clone();
        for ply in 0..MAX_PLIES {
            let mover = match game.status(&position) {
                Status::Over(payoffs) => return self.result(payoffs, ply, GameEndReason::Rules),
                Status::Turn(mover) => mover,
            };
            let action = match self.choose(mover, &position, key, ply) {
                Ok(action) => action,
                Err(why) => return self.forfeited(&position, mover, ply, why),
            };
            let roll = game.roll(&position, action, &mut key.dice(ply));
            let outcome = game.outcome_of_roll(&position, action, &roll);
            let outcome = outcome.expect("rolled for this action");
            let after = game.apply(&position, action, outcome);
            self.luck.add_roll(&game, &position, action, outcome);
            let position = std::mem::replace(&mut position, after);
            self.line.push(ObservedAction { position, action });
            self.record.entries.push(Entry::Ply(Ply {
                player: mover,
                action,
                roll,
                at_ms: 0,
            }));
        }
        match game.status(&position) {
            Status::Over(payoffs) => self.result(payoffs, MAX_PLIES, GameEndReason::Rules),
            Status::Turn(_) => {
                self.record.ending = Some(Ending::Limit);
                let counted = game.adjudicate(&position, PlayerSet::default());
                self.result(counted, MAX_PLIES, GameEndReason::Limit)
            }
        }
    }

    /// The game ends, and the others are counted, as when somebody gives up.
    fn forfeited(
        &mut self,
        position: &G::Position,
        player: Player,
        ply: u32,
        why: PlayerFault,
    ) -> GameResult {
        self.record.ending = Some(Ending::Resigned(player));
        let others = PlayerSet::from_iter([player]);
        let counted = self.record.game.adjudicate(position, others);
        self.result(
            counted,
            ply,
            GameEndReason::Forfeit(Forfeit { player, ply, why }),
        )
    }

    fn choose(
        &mut self,
        mover: Player,
        position: &G::Position,
        key: GameKey,
        ply: u32,
    ) -> Result<G::Action, PlayerFault> {
        let game = &self.record.game;
        let chair = &mut self.chairs[usize::from(mover.number())];
        let mut variety = key.agent_rng_key(ply);
        let begun = Instant::now();
        chair.sitter.observe(game, &mut self.line.iter().cloned());
        let choice = chair.sitter.choose(game, position, ply, &mut variety);
        chair.work = chair.work.and(DecisionCost {
            decisions: 1,
            positions: choice.as_ref().map_or(0, |choice| choice.nodes),
            nanos: begun.elapsed().as_nanos() as u64,
        });
        let action = choice?.action;
        debug_assert!(
            game.check_action(position, action).is_ok(),
            "{action} is not legal here"
        );
        Ok(action)
    }

    fn result(&self, payoffs: Payoffs, plies: u32, end: GameEndReason) -> GameResult {
        GameResult {
            winners: payoffs.winners().iter().collect(),
            plies,
            end,
            luck_millionths: self.luck.millionths(&self.record.game),
        }
    }
}

#[cfg(test)]
mod tests {
    use dice_of_doom_core::game::Game;
    use dice_of_doom_core::level::{AgentProvider, AgentRng, ChosenActionOf, Level};
    use dice_of_doom_games::trilobite::Trilobite;

    use super::super::match_player::AgentPlayer;
    use super::super::rng_keys::BoardKey;
    use super::*;

    fn game(winners: &[u8]) -> GameResult {
        GameResult {
            winners: winners.iter().map(|&number| Player::new(number)).collect(),
            plies: 9,
            end: GameEndReason::Rules,
            luck_millionths: vec![100_000, -100_000, 0],
        }
    }

    #[test]
    fn winners_share_a_game_and_a_draw_is_half_for_two() {
        let [a, b] = [0, 1].map(Player::new);
        assert_eq!((game(&[0]).share(a), game(&[0]).share(b)), (1.0, 0.0));
        assert_eq!((game(&[0, 1]).share(a), game(&[0, 1]).share(b)), (0.5, 0.5));
        assert_eq!((game(&[]).share(a), game(&[]).share(b)), (0.5, 0.5));
    }

    #[test]
    fn a_seat_is_followed_through_the_rotations() {
        // Seat 0 plays a, then c, then b; it wins the first game and half of the second.
        let board = BoardResult {
            games: vec![game(&[0]), game(&[0, 2]), game(&[0])],
            work: vec![DecisionCost::default(); 3],
        };
        let seat = |seat| [0, 1, 2].map(|rotation| board.share(seat, rotation));
        assert_eq!(seat(0), [1.0, 0.5, 0.0]);
        assert_eq!(seat(1), [0.0, 0.5, 0.0]);
        assert_eq!(seat(2), [0.0, 0.0, 1.0]);
        assert!((board.mean_share(0) - 0.5).abs() < 1e-12);
        // 0.1 as a, nothing as c, -0.1 as b; the others have the same in another order.
        assert!(board.mean_luck(0).abs() < 1e-12);
        assert!((board.games[0].luck(Player::FIRST) - 0.1).abs() < 1e-12);
        assert!(board.fits(3) && !board.fits(2));
    }

    /// Plays anything, and looks whether it is told of every decision before its own.
    struct Attentive {
        told: Option<u32>,
    }

    impl MatchPlayer<Trilobite> for Attentive {
        fn choose(
            &mut self,
            game: &Trilobite,
            position: &<Trilobite as Game>::Position,
            ply: u32,
            rng: &mut AgentRng,
        ) -> Result<ChosenActionOf<Trilobite>, PlayerFault> {
            assert_eq!(self.told.take(), Some(ply));
            AgentPlayer::new(Trilobite::agent(Level::Random)).choose(game, position, ply, rng)
        }

        fn observe(
            &mut self,
            game: &Trilobite,
            line: &mut dyn Iterator<Item = ObservedAction<Trilobite>>,
        ) {
            let mut position = game.empty();
            let mut told = 0;
            for decision in line {
                assert_eq!(decision.position, position);
                position = game.apply(&position, decision.action, ());
                told += 1;
            }
            self.told = Some(told);
        }
    }

    struct Attention;

    impl PlayerFactory<Trilobite> for Attention {
        fn create_player(&self) -> Box<dyn MatchPlayer<Trilobite> + '_> {
            Box::new(Attentive { told: None })
        }
    }

    #[test]
    fn everybody_is_told_what_was_decided_before() {
        let game = Trilobite::new(5, 4, 4).unwrap();
        let played = play(&game, &game.empty(), &[Attention, Attention], |rotation| {
            GameKey {
                board: BoardKey { seed: 1, board: 0 },
                rotation,
            }
        });
        assert!(played.0.games.iter().all(|game| game.plies > 6));
    }
}
