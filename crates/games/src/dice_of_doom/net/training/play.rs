//! One game of self-play, and what is to be learnt from it.

use rand::{Rng, RngExt};

use super::super::super::position::Position;
use super::super::super::rules::{Action, DiceOfDoom};
use super::super::features::{Read, player_at};
use super::super::layers::{Parameters, Sums, by_player};
use super::Course;
use dice_of_doom_core::game::{ByPlayer, Game, MOST_PLAYERS, Player, Players, Status};
use dice_of_doom_core::level::RandomPlayer;
use dice_of_doom_core::record::MOST_PLIES;
use dice_of_doom_core::search::{Shares, results};
use dice_of_doom_core::streams::SearchRng;

/// The positions of a game, with a target for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Lesson {
    features: Vec<u16>,
    /// Where the features of each position end.
    ends: Vec<u32>,
    /// By distance from the mover.
    targets: Vec<[f32; MOST_PLAYERS]>,
}

impl Lesson {
    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(super) fn at(&self, at: usize) -> (&[u16], &[f32; MOST_PLAYERS]) {
        let begin = if at == 0 {
            0
        } else {
            self.ends[at - 1] as usize
        };
        (
            &self.features[begin..self.ends[at] as usize],
            &self.targets[at],
        )
    }
}

/// A position on the way.
struct Step {
    mover: Player,
    /// What the best action promises.
    promised: Shares,
    /// Whether another action was taken, to see what comes of it.
    explored: bool,
    /// Whether the action ended the turn.
    ended_turn: bool,
}

/// Plays one game.
pub(super) fn play(
    course: &Course,
    game: &DiceOfDoom,
    numbers: &Parameters,
    rng: &mut SearchRng,
) -> Lesson {
    let mut lesson = Lesson::default();
    let mut steps: Vec<Step> = Vec::new();
    let Ok(mut position) = game.deal(rng) else {
        return lesson;
    };
    let mut ahead = Ahead::default();
    let result = loop {
        let mover = match game.status(&position) {
            Status::Over(payoffs) => break results(payoffs, game.players()),
            Status::Turn(_) if steps.len() >= MOST_PLIES as usize => {
                let payoffs = game.adjudicate(&position, Players::default());
                break results(payoffs, game.players());
            }
            Status::Turn(mover) => mover,
        };
        let read = Read::of(game, &numbers.layout, &position);
        read.each(game, &numbers.layout, |feature| {
            lesson.features.push(feature as u16)
        });
        lesson.ends.push(lesson.features.len() as u32);
        let (best, promised) = ahead.best(game, &position, &read, numbers, rng);
        let explored = rng.random::<f32>() < course.exploration;
        let action = if explored {
            RandomPlayer::pick(game, &position, rng)
        } else {
            best
        };
        let outcome = game.sample(&position, action, rng);
        position = game.play(&position, action, outcome);
        steps.push(Step {
            mover,
            promised: if best == Action::EndTurn {
                discounted(&promised, game, course.discount)
            } else {
                promised
            },
            explored,
            ended_turn: action == Action::EndTurn,
        });
    };
    let mut target = result;
    lesson.targets = vec![[0.0; MOST_PLAYERS]; steps.len()];
    for (step, by_distance) in steps.iter().zip(&mut lesson.targets).rev() {
        if step.ended_turn {
            target = discounted(&target, game, course.discount);
        }
        target = if step.explored {
            step.promised
        } else {
            ByPlayer::from_fn(|player| {
                (1.0 - course.lambda) * step.promised[player] + course.lambda * target[player]
            })
        };
        for distance in 0..usize::from(game.players()) {
            by_distance[distance] = target[player_at(distance, step.mover, game.players())];
        }
    }
    lesson
}

fn discounted(shares: &Shares, game: &DiceOfDoom, discount: f32) -> Shares {
    let equal = 1.0 / f32::from(game.players());
    ByPlayer::from_fn(|player| {
        if player.number() < game.players() {
            equal + discount * (shares[player] - equal)
        } else {
            0.0
        }
    })
}

/// Looks one ply ahead.
#[derive(Default)]
struct Ahead {
    /// The last attack that failed: its source and what may be expected then.
    failed: Option<(u8, Shares)>,
}

impl Ahead {
    fn best(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        read: &Read,
        numbers: &Parameters,
        rng: &mut impl Rng,
    ) -> (Action, Shares) {
        let mover = read.mover();
        let sums = numbers.sums_of(game, read);
        self.failed = None;
        let mut best: Option<(Action, Shares)> = None;
        let mut equals = 1;
        for action in game.actions(position) {
            let promised = self.promised(game, position, read, &sums, numbers, action);
            let better = best
                .as_ref()
                .map_or(f32::INFINITY, |(_, so_far)| promised[mover] - so_far[mover]);
            if better > 0.0 {
                equals = 1;
                best = Some((action, promised));
            } else if better == 0.0 {
                equals += 1;
                if rng.random_range(0..equals) == 0 {
                    best = Some((action, promised));
                }
            }
        }
        best.expect("somebody is on turn")
    }

    fn promised(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        read: &Read,
        sums: &Sums,
        numbers: &Parameters,
        action: Action,
    ) -> Shares {
        let mut expected = Shares::default();
        for (nth, (outcome, probability)) in game.lottery(position, action).enumerate() {
            let source = match action {
                Action::Attack { from, .. } if nth > 0 => Some(from.number()),
                _ => None,
            };
            let known = self.failed.filter(|&(from, _)| Some(from) == source);
            let shares = match known {
                Some((_, shares)) => shares,
                None => {
                    let after = game.play(position, action, outcome);
                    let shares = after_ply(game, read, sums, numbers, &after);
                    if let Some(source) = source {
                        self.failed = Some((source, shares));
                    }
                    shares
                }
            };
            expected =
                ByPlayer::from_fn(|player| expected[player] + probability as f32 * shares[player]);
        }
        expected
    }
}

fn after_ply(
    game: &DiceOfDoom,
    read: &Read,
    sums: &Sums,
    numbers: &Parameters,
    after: &Position,
) -> Shares {
    match game.status(after) {
        Status::Over(payoffs) => results(payoffs, game.players()),
        Status::Turn(next) if next == read.mover() => {
            let mut sums = *sums;
            read.after(game, &numbers.layout, after, |before, after| {
                numbers.take(&mut sums, before);
                numbers.add(&mut sums, after);
            });
            by_player(&numbers.pass(&sums).shares, game, read)
        }
        Status::Turn(_) => numbers.shares(game, after),
    }
}
