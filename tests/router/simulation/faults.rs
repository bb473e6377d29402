//! How bad it is at the moment between the instances and what they share, drawn anew for each request and each ring.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::chance::Chance;
use super::counts::Counts;
use super::scenario::Story;

/// What becomes of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// It is answered.
    Answered,
    /// It never comes there.
    Unreached,
    /// It is done, and whoever asked is told that it is not known.
    AnswerLost,
    /// It is done, the answer is lost, and is found out over the next connection.
    FoundOut,
    /// It comes there twice.
    Twice,
}

/// A request under way.
pub(crate) struct Way {
    pub(crate) fate: Fate,
    pub(crate) there: Duration,
    pub(crate) back: Duration,
    /// How much later it comes for the second time.
    pub(crate) again: Duration,
}

pub(crate) struct Weather {
    pub(crate) story: Arc<Story>,
    pub(crate) counts: Arc<Counts>,
    /// Whether anything goes wrong.
    is_bad: AtomicBool,
    /// Each seed has its own: so many requests of a thousand meet each fate, and so many are slow.
    fails: u64,
    slow: u64,
    rings_lost: u64,
    chance: Mutex<Chance>,
}

impl Weather {
    pub(crate) fn new(seed: u64, story: &Arc<Story>, counts: &Arc<Counts>) -> Arc<Self> {
        let mut chance = Chance::new(seed, 1);
        Arc::new(Weather {
            story: Arc::clone(story),
            counts: Arc::clone(counts),
            is_bad: AtomicBool::new(true),
            fails: *chance.pick(&[0, 5, 20, 40]),
            slow: *chance.pick(&[0, 20, 80, 200]),
            rings_lost: *chance.pick(&[0, 0, 100, 500]),
            chance: Mutex::new(chance),
        })
    }

    /// From now on nothing goes wrong, and nothing takes long.
    pub(crate) fn clear_up(&self) {
        self.is_bad.store(false, Ordering::Relaxed);
        self.story.tell("the weather clears up");
    }

    pub(crate) fn is_bad(&self) -> bool {
        self.is_bad.load(Ordering::Relaxed)
    }

    fn drawn<T>(&self, draw: impl FnOnce(&mut Chance) -> T) -> T {
        draw(&mut self.chance.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn way(&self) -> Way {
        self.drawn(|chance| {
            let mut way = Way {
                fate: Fate::Answered,
                there: chance.ms(0..3),
                back: chance.ms(0..3),
                again: Duration::ZERO,
            };
            if !self.is_bad() {
                return way;
            }
            if chance.in_a_thousand(self.slow) {
                way.there = chance.ms(5..600);
                // Now and then longer than a lease lasts.
                if chance.in_a_thousand(100) {
                    way.there = chance.ms(1_000..3_000);
                }
            }
            if chance.in_a_thousand(self.slow) {
                way.back = chance.ms(5..300);
            }
            let (fates, draw) = (
                [
                    Fate::Unreached,
                    Fate::AnswerLost,
                    Fate::FoundOut,
                    Fate::Twice,
                ],
                chance.below(1_000),
            );
            if let Some(fate) = draw
                .checked_div(self.fails)
                .and_then(|at| fates.get(at as usize))
            {
                way.fate = *fate;
            }
            match way.fate {
                Fate::Answered => {}
                Fate::Unreached => {
                    self.counts.unreached.add();
                    way.back = chance.ms(10..500);
                }
                Fate::AnswerLost => {
                    self.counts.lost_answers.add();
                    way.back = chance.ms(10..500);
                }
                Fate::FoundOut => {
                    self.counts.found_out.add();
                    way.back = chance.ms(100..1_000);
                }
                Fate::Twice => {
                    self.counts.delivered_twice.add();
                    way.again = chance.ms(1..400);
                }
            }
            way
        })
    }

    /// After how long each copy of a ring is heard; none where it is lost.
    pub(crate) fn rings(&self) -> Vec<Duration> {
        self.drawn(|chance| {
            if !self.is_bad() {
                return vec![chance.ms(0..5)];
            }
            if chance.in_a_thousand(self.rings_lost) {
                self.counts.rings_lost.add();
                return Vec::new();
            }
            let times = if chance.in_a_thousand(50) { 2 } else { 1 };
            (0..times).map(|_| chance.ms(0..150)).collect()
        })
    }

    /// How long a computer takes for a ply: mostly little, sometimes as long as a lease lasts.
    pub(crate) fn thought(&self) -> Duration {
        self.drawn(|chance| {
            if self.is_bad() && chance.in_a_thousand(50) {
                chance.ms(500..2_500)
            } else {
                chance.ms(20..250)
            }
        })
    }
}
