//! One board, played in all rotations.

use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::ArenaGame;
use super::board_result::{BoardResult, DecisionCost, GameEndReason, GameResult};
use super::luck::LuckEstimator;
use super::match_player::{MatchPlayer, PlayerFactory};
use super::match_rules::{DecidedGame, MatchRules, PlayerClock};
use super::rng_keys::GameKey;
use super::seating::seat_of;
use dice_of_doom_core::game::{Payoffs, Player, PlayerSet, Status};
use dice_of_doom_core::level::ObservedAction;
use dice_of_doom_core::record::{Ending, Entry, Ply, Record};
use dice_of_doom_formats::record::{Forfeit, PlayerFault};

/// The rules of games with the grace for a player's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameTerms {
    pub(super) rules: MatchRules,
    pub(super) grace: Duration,
}

/// Plays all rotations of a board, and reports each game when it has ended. The records are in the order of the
/// rotations.
pub(super) fn play_rotations<G: ArenaGame, E: PlayerFactory<G>>(
    game: &G,
    start: &G::Position,
    seats: &[E],
    terms: GameTerms,
    key: impl Fn(u8) -> GameKey,
    report: impl Fn(u8, &GameResult),
) -> (BoardResult, Vec<Record<G>>) {
    let mut work = vec![DecisionCost::default(); seats.len()];
    let rotations = 0..game.players();
    let games = rotations.map(|rotation| {
        let mut played = RotationGame::new(game, start, seats, terms, rotation);
        let result = played.play(key(rotation));
        report(rotation, &result);
        for player in played.players {
            work[player.seat] = work[player.seat].plus(player.work);
        }
        (result, played.record)
    });
    let (games, records) = games.unzip();
    let start_digest = digest_of([game.notation(start)]);
    let result = BoardResult {
        games,
        work,
        start_digest,
    };
    (result, records)
}

/// The first 64 bits of the SHA-256 of some lines of text.
fn digest_of(lines: impl IntoIterator<Item = String>) -> u64 {
    let mut digest = Sha256::new();
    for line in lines {
        digest.update(line);
        digest.update("\n");
    }
    let first = digest.finalize().first_chunk().copied();
    u64::from_be_bytes(first.expect("a SHA-256 has 32 bytes"))
}

/// The game of one rotation, in progress.
struct RotationGame<'s, G: ArenaGame> {
    record: Record<G>,
    /// The players, in order.
    players: Vec<SeatedPlayer<'s, G>>,
    /// The decisions so far, oldest first.
    history: Vec<ObservedAction<G>>,
    luck: LuckEstimator<G>,
    rules: MatchRules,
    /// The player whose share the rule for decided games has counted, and for how many plies in succession.
    ahead: Option<(Player, u32)>,
}

/// A player in one game with its seat, its clock and the cost of its decisions.
struct SeatedPlayer<'s, G> {
    seat: usize,
    player: Box<dyn MatchPlayer<G> + 's>,
    clock: Option<PlayerClock>,
    work: DecisionCost,
}

impl<'s, G: ArenaGame> RotationGame<'s, G> {
    fn new(
        game: &G,
        start: &G::Position,
        seats: &'s [impl PlayerFactory<G>],
        GameTerms { rules, grace }: GameTerms,
        rotation: u8,
    ) -> Self {
        let players = game.players();
        let seated = Player::all(players).map(|player| {
            let seat = seat_of(player, rotation, players);
            SeatedPlayer {
                seat,
                player: seats[seat].create_player(),
                clock: rules.clock.map(|clock| PlayerClock::new(clock, grace)),
                work: DecisionCost::default(),
            }
        });
        RotationGame {
            record: Record::new(*game, start.clone()),
            players: seated.collect(),
            history: Vec::new(),
            luck: LuckEstimator::new(),
            rules,
            ahead: None,
        }
    }

    fn play(&mut self, key: GameKey) -> GameResult {
        let game = self.record.game;
        let mut position = self.record.start.clone();
        let result = self.play_from(&mut position, key);
        for player in &mut self.players {
            player.player.finish(&game, &position, &result);
        }
        result
    }

    /// Plays until the game ends; `position` is then the last position.
    fn play_from(&mut self, position: &mut G::Position, key: GameKey) -> GameResult {
        let game = self.record.game;
        let max_plies = self.rules.ply_limit();
        for ply in 0..max_plies {
            let mover = match game.status(position) {
                Status::Over(payoffs) => return self.result(payoffs, ply, GameEndReason::Rules),
                Status::Turn(mover) => mover,
            };
            let action = match self.choose(mover, position, key, ply) {
                Ok(action) => action,
                Err(why) => return self.forfeit_result(position, mover, ply, why),
            };
            let roll = game.roll(position, action, &mut key.dice_rng(ply));
            let outcome = game.outcome_of_roll(position, action, &roll);
            let outcome = outcome.expect("the roll is valid for this action");
            let after = game.apply(position, action, outcome);
            self.luck.add_roll(&game, position, action, outcome);
            let before = std::mem::replace(position, after);
            self.history.push(ObservedAction {
                position: before,
                action,
            });
            self.record.entries.push(Entry::Ply(Ply {
                player: mover,
                action,
                roll,
                at_ms: 0,
            }));
            if let Some(rule) = self.rules.adjudication
                && let Some(payoffs) = self.decided_result(rule, position)
            {
                self.record.ending = Some(Ending::Limit);
                return self.result(payoffs, ply + 1, GameEndReason::Decided);
            }
        }
        match game.status(position) {
            Status::Over(payoffs) => self.result(payoffs, max_plies, GameEndReason::Rules),
            Status::Turn(_) => {
                self.record.ending = Some(Ending::Limit);
                let payoffs = game.adjudicate(position, PlayerSet::default());
                self.result(payoffs, max_plies, GameEndReason::Limit)
            }
        }
    }

    /// The result of the game if it is decided with this position.
    fn decided_result(&mut self, rule: DecidedGame, position: &G::Position) -> Option<Payoffs> {
        let game = self.record.game;
        if game.status(position).is_over() {
            return None;
        }
        let shares = self.luck.evaluation(&game, position)?;
        let mut players = Player::all(game.players());
        let leader = players.find(|&player| f64::from(shares[player]) >= rule.share);
        self.ahead = leader.map(|leader| match self.ahead {
            Some((player, plies)) if player == leader => (leader, plies + 1),
            _ => (leader, 1),
        });
        let (leader, plies) = self.ahead?;
        let payoffs = game.adjudicate(position, PlayerSet::default());
        let is_won = payoffs.winners() == PlayerSet::from_iter([leader]);
        (plies >= rule.plies && is_won).then_some(payoffs)
    }

    /// Ends the game as when the player resigns: it is adjudicated among the others.
    fn forfeit_result(
        &mut self,
        position: &G::Position,
        player: Player,
        ply: u32,
        why: PlayerFault,
    ) -> GameResult {
        self.record.ending = Some(Ending::Resigned(player));
        let resigned = PlayerSet::from_iter([player]);
        let payoffs = self.record.game.adjudicate(position, resigned);
        self.result(
            payoffs,
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
        let player = &mut self.players[usize::from(mover.number())];
        let mut rng = key.agent_rng(ply);
        player.player.prepare(game, position)?;
        if let Some(clock) = &player.clock {
            player.player.set_clock(clock);
        }
        let started = Instant::now();
        player
            .player
            .observe(game, &mut self.history.iter().cloned());
        let choice = player.player.choose(game, position, ply, &mut rng);
        let elapsed = started.elapsed();
        player.clock = player.clock.map(|clock| clock.after(elapsed));
        player.work = player.work.plus(DecisionCost {
            decisions: 1,
            positions: choice.as_ref().map_or(0, |choice| choice.nodes),
            nanos: elapsed.as_nanos() as u64,
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
            luck_millionths: self.luck.to_millionths(&self.record.game),
            digest: digest_of(self.record.entries.iter().filter_map(|entry| {
                let Ply { action, roll, .. } = entry.ply()?;
                Some(format!("{action} {roll}"))
            })),
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
            digest: 0,
        }
    }

    #[test]
    fn winners_share_the_game_and_a_draw_gives_half_to_each_of_two() {
        let [a, b] = [0, 1].map(Player::new);
        assert_eq!(
            (game(&[0]).win_share(a), game(&[0]).win_share(b)),
            (1.0, 0.0)
        );
        assert_eq!(
            (game(&[0, 1]).win_share(a), game(&[0, 1]).win_share(b)),
            (0.5, 0.5)
        );
        assert_eq!((game(&[]).win_share(a), game(&[]).win_share(b)), (0.5, 0.5));
    }

    #[test]
    fn seat_results_follow_the_rotations() {
        // Seat 0 plays a, then c, then b; it wins the first game and half of the second.
        let board = BoardResult {
            games: vec![game(&[0]), game(&[0, 2]), game(&[0])],
            work: vec![DecisionCost::default(); 3],
            start_digest: 0,
        };
        let seat = |seat| [0, 1, 2].map(|rotation| board.win_share(seat, rotation));
        assert_eq!(seat(0), [1.0, 0.5, 0.0]);
        assert_eq!(seat(1), [0.0, 0.5, 0.0]);
        assert_eq!(seat(2), [0.0, 0.0, 1.0]);
        assert!((board.mean_win_share(0) - 0.5).abs() < 1e-12);
        // 0.1 as a, 0 as c, -0.1 as b; the other seats have the same values in another order.
        assert!(board.mean_luck(0).abs() < 1e-12);
        assert!((board.games[0].luck(Player::FIRST) - 0.1).abs() < 1e-12);
        assert!(board.is_valid_for(3) && !board.is_valid_for(2));
    }

    /// Plays randomly and asserts that all earlier decisions are reported before each of its own.
    struct ObservingPlayer {
        observed: Option<u32>,
    }

    impl MatchPlayer<Trilobite> for ObservingPlayer {
        fn choose(
            &mut self,
            game: &Trilobite,
            position: &<Trilobite as Game>::Position,
            ply: u32,
            rng: &mut AgentRng,
        ) -> Result<ChosenActionOf<Trilobite>, PlayerFault> {
            assert_eq!(self.observed.take(), Some(ply));
            AgentPlayer::new(Trilobite::agent(Level::Random)).choose(game, position, ply, rng)
        }

        fn observe(
            &mut self,
            game: &Trilobite,
            history: &mut dyn Iterator<Item = ObservedAction<Trilobite>>,
        ) {
            let mut position = game.empty();
            let mut observed = 0;
            for decision in history {
                assert_eq!(decision.position, position);
                position = game.apply(&position, decision.action, ());
                observed += 1;
            }
            self.observed = Some(observed);
        }
    }

    struct ObservingPlayerFactory;

    impl PlayerFactory<Trilobite> for ObservingPlayerFactory {
        fn create_player(&self) -> Box<dyn MatchPlayer<Trilobite> + '_> {
            Box::new(ObservingPlayer { observed: None })
        }
    }

    #[test]
    fn players_observe_all_earlier_decisions() {
        let game = Trilobite::new(5, 4, 4).unwrap();
        let played = play_rotations(
            &game,
            &game.empty(),
            &[ObservingPlayerFactory, ObservingPlayerFactory],
            GameTerms::default(),
            |rotation| GameKey {
                board: BoardKey { seed: 1, board: 0 },
                rotation,
            },
            |_, _| {},
        );
        assert!(played.0.games.iter().all(|game| game.plies > 6));
    }
}
