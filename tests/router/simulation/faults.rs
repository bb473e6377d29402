//! The fault model between the instances and the store: faults are drawn independently for each request and each
//! notification.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::chance::SimulationRng;
use super::counts::Counts;
use super::scenario::Trace;

/// What happens to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// It is executed, and the response arrives.
    Answered,
    /// It never arrives.
    RequestLost,
    /// It is executed, and the client gets an error because the result is unknown.
    ResponseLost,
    /// It is executed, and the result is recovered over the next connection.
    ResponseRecovered,
    /// It is executed twice.
    Duplicated,
}

/// The fate and the delays of a request.
pub(crate) struct Delivery {
    pub(crate) fate: Fate,
    pub(crate) request_delay: Duration,
    pub(crate) response_delay: Duration,
    /// The delay of the second execution.
    pub(crate) duplicate_delay: Duration,
}

pub(crate) struct FaultModel {
    pub(crate) trace: Arc<Trace>,
    pub(crate) counts: Arc<Counts>,
    is_enabled: AtomicBool,
    /// The probabilities depend on the seed: of each fate, and of long delays.
    fate_per_mille: u64,
    slow_per_mille: u64,
    lost_notifications_per_mille: u64,
    rng: Mutex<SimulationRng>,
}

impl FaultModel {
    pub(crate) fn new(seed: u64, trace: &Arc<Trace>, counts: &Arc<Counts>) -> Arc<Self> {
        let mut rng = SimulationRng::new(seed, 1);
        Arc::new(FaultModel {
            trace: Arc::clone(trace),
            counts: Arc::clone(counts),
            is_enabled: AtomicBool::new(true),
            fate_per_mille: *rng.pick(&[0, 5, 20, 40]),
            slow_per_mille: *rng.pick(&[0, 20, 80, 200]),
            lost_notifications_per_mille: *rng.pick(&[0, 0, 100, 500]),
            rng: Mutex::new(rng),
        })
    }

    /// Ends all faults and long delays.
    pub(crate) fn disable(&self) {
        self.is_enabled.store(false, Ordering::Relaxed);
        self.trace.log("faults end");
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.is_enabled.load(Ordering::Relaxed)
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
            if !self.is_enabled() {
                return delivery;
            }
            if rng.happens_per_mille(self.slow_per_mille) {
                delivery.request_delay = rng.ms(5..600);
                // Sometimes longer than the duration of a lease.
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

    /// The delay of each copy of a notification; empty if it is lost.
    pub(crate) fn notification_delays(&self) -> Vec<Duration> {
        self.with_rng(|rng| {
            if !self.is_enabled() {
                return vec![rng.ms(0..5)];
            }
            if rng.happens_per_mille(self.lost_notifications_per_mille) {
                self.counts.notifications_lost.add();
                return Vec::new();
            }
            let times = if rng.happens_per_mille(50) { 2 } else { 1 };
            (0..times).map(|_| rng.ms(0..150)).collect()
        })
    }

    /// The thinking time of a computer for a ply: usually short, sometimes longer than a lease.
    pub(crate) fn thinking_time(&self) -> Duration {
        self.with_rng(|rng| {
            if self.is_enabled() && rng.happens_per_mille(50) {
                rng.ms(500..2_500)
            } else {
                rng.ms(20..250)
            }
        })
    }
}
