//! How bad it is at the moment between the instances and what they share, drawn anew for each request and each ring.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::chance::SimulationRng;
use super::counts::Counts;
use super::scenario::Trace;

/// What becomes of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// It is answered.
    Answered,
    /// It never comes there.
    RequestLost,
    /// It is done, and whoever asked is told that it is not known.
    ResponseLost,
    /// It is done, the answer is lost, and is found out over the next connection.
    ResponseRecovered,
    /// It comes there twice.
    Duplicated,
}

/// A request under way.
pub(crate) struct Delivery {
    pub(crate) fate: Fate,
    pub(crate) request_delay: Duration,
    pub(crate) response_delay: Duration,
    /// How much later it comes for the second time.
    pub(crate) duplicate_delay: Duration,
}

pub(crate) struct FaultModel {
    pub(crate) trace: Arc<Trace>,
    pub(crate) counts: Arc<Counts>,
    /// Whether anything goes wrong.
    is_bad: AtomicBool,
    /// Each seed has its own: so many requests of a thousand meet each fate, and so many are slow.
    fate_per_mille: u64,
    slow_per_mille: u64,
    notifications_lost: u64,
    rng: Mutex<SimulationRng>,
}

impl FaultModel {
    pub(crate) fn new(seed: u64, trace: &Arc<Trace>, counts: &Arc<Counts>) -> Arc<Self> {
        let mut rng = SimulationRng::new(seed, 1);
        Arc::new(FaultModel {
            trace: Arc::clone(trace),
            counts: Arc::clone(counts),
            is_bad: AtomicBool::new(true),
            fate_per_mille: *rng.pick(&[0, 5, 20, 40]),
            slow_per_mille: *rng.pick(&[0, 20, 80, 200]),
            notifications_lost: *rng.pick(&[0, 0, 100, 500]),
            rng: Mutex::new(rng),
        })
    }

    /// From now on nothing goes wrong, and nothing takes long.
    pub(crate) fn disable(&self) {
        self.is_bad.store(false, Ordering::Relaxed);
        self.trace.log("the weather clears up");
    }

    pub(crate) fn is_bad(&self) -> bool {
        self.is_bad.load(Ordering::Relaxed)
    }

    fn with_rng<T>(&self, draw: impl FnOnce(&mut SimulationRng) -> T) -> T {
        draw(&mut self.rng.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn delivery(&self) -> Delivery {
        self.with_rng(|rng| {
            let mut delivery = Delivery {
                fate: Fate::Answered,
                request_delay: rng.ms(0..3),
                response_delay: rng.ms(0..3),
                duplicate_delay: Duration::ZERO,
            };
            if !self.is_bad() {
                return delivery;
            }
            if rng.happens_per_mille(self.slow_per_mille) {
                delivery.request_delay = rng.ms(5..600);
                // Now and then longer than a lease lasts.
                if rng.happens_per_mille(100) {
                    delivery.request_delay = rng.ms(1_000..3_000);
                }
            }
            if rng.happens_per_mille(self.slow_per_mille) {
                delivery.response_delay = rng.ms(5..300);
            }
            let (fates, draw) = (
                [
                    Fate::RequestLost,
                    Fate::ResponseLost,
                    Fate::ResponseRecovered,
                    Fate::Duplicated,
                ],
                rng.below(1_000),
            );
            if let Some(fate) = draw
                .checked_div(self.fate_per_mille)
                .and_then(|at| fates.get(at as usize))
            {
                delivery.fate = *fate;
            }
            match delivery.fate {
                Fate::Answered => {}
                Fate::RequestLost => {
                    self.counts.lost_requests.add();
                    delivery.response_delay = rng.ms(10..500);
                }
                Fate::ResponseLost => {
                    self.counts.lost_responses.add();
                    delivery.response_delay = rng.ms(10..500);
                }
                Fate::ResponseRecovered => {
                    self.counts.recovered_responses.add();
                    delivery.response_delay = rng.ms(100..1_000);
                }
                Fate::Duplicated => {
                    self.counts.duplicates.add();
                    delivery.duplicate_delay = rng.ms(1..400);
                }
            }
            delivery
        })
    }

    /// After how long each copy of a ring is heard; none where it is lost.
    pub(crate) fn notification_delays(&self) -> Vec<Duration> {
        self.with_rng(|rng| {
            if !self.is_bad() {
                return vec![rng.ms(0..5)];
            }
            if rng.happens_per_mille(self.notifications_lost) {
                self.counts.notifications_lost.add();
                return Vec::new();
            }
            let times = if rng.happens_per_mille(50) { 2 } else { 1 };
            (0..times).map(|_| rng.ms(0..150)).collect()
        })
    }

    /// How long a computer takes for a ply: mostly little, sometimes as long as a lease lasts.
    pub(crate) fn thinking_time(&self) -> Duration {
        self.with_rng(|rng| {
            if self.is_bad() && rng.happens_per_mille(50) {
                rng.ms(500..2_500)
            } else {
                rng.ms(20..250)
            }
        })
    }
}
