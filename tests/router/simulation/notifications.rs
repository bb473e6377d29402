//! The bell of one instance: a connection of its own, over which rings are lost, late, out of order and twice, and
//! which breaks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dice_of_doom::store::ChangeNotification;
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep};

use super::faults::Weather;
use super::model::Plant;

/// How many rings may wait, as in the archive of PostgreSQL.
const WAITING: usize = 1024;

/// With the planted fault so much time is between looking and listening.
const GAP: Duration = Duration::from_millis(120);

pub(crate) struct Bell {
    pub(crate) name: String,
    pub(crate) rings: broadcast::Sender<ChangeNotification>,
    weather: Arc<Weather>,
    plant: Option<Plant>,
    is_gone: AtomicBool,
    wire: Mutex<Wire>,
}

#[derive(Default)]
struct Wire {
    is_listening: bool,
    /// Counts connections: what was under way on an earlier one never comes.
    connection: u32,
    /// From when to when nothing was heard.
    silences: Vec<(Instant, Instant)>,
}

impl Bell {
    pub(crate) fn new(name: &str, weather: &Arc<Weather>, plant: Option<Plant>) -> Arc<Self> {
        Arc::new(Bell {
            name: name.to_owned(),
            rings: broadcast::Sender::new(WAITING),
            weather: Arc::clone(weather),
            plant,
            is_gone: AtomicBool::new(false),
            wire: Mutex::default(),
        })
    }

    fn wire(&self) -> MutexGuard<'_, Wire> {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn fall_silent(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_silent_for_ever(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    /// The end of the silence into which this moment falls.
    pub(crate) fn silent_until(&self, then: Instant) -> Option<Instant> {
        let silences = &self.wire().silences;
        let mut silences = silences.iter();
        let silence = silences.find(|(from, until)| (*from..=*until).contains(&then));
        silence.map(|(_, until)| *until)
    }

    /// Something happened in the archive.
    pub(crate) fn ring(self: &Arc<Self>, ring: ChangeNotification) {
        let connection = {
            let wire = self.wire();
            if !wire.is_listening || self.is_silent_for_ever() {
                return;
            }
            wire.connection
        };
        for delay in self.weather.rings() {
            let (bell, ring) = (Arc::clone(self), ring.clone());
            tokio::spawn(async move {
                sleep(delay).await;
                let is_heard = {
                    let wire = bell.wire();
                    wire.connection == connection && !bell.is_silent_for_ever()
                };
                if is_heard {
                    // Nobody may be there to hear it.
                    let _ = bell.rings.send(ring);
                }
            });
        }
    }

    /// The connection is made: first it listens, and then whoever hears looks at everything.
    pub(crate) async fn connect(&self) {
        if self.plant == Some(Plant::ReadBeforeListen) {
            let _ = self.rings.send(ChangeNotification::Missed);
            self.weather.story.tell(&format!("{} looks", self.name));
            sleep(GAP).await;
            self.wire().is_listening = true;
        } else {
            self.wire().is_listening = true;
            let _ = self.rings.send(ChangeNotification::Missed);
        }
        self.weather.story.tell(&format!("{} hears", self.name));
    }

    /// The connection breaks, and is made anew after this time.
    pub(crate) async fn break_for(&self, time: Duration) {
        let from = Instant::now();
        {
            let mut wire = self.wire();
            if !wire.is_listening {
                return;
            }
            wire.is_listening = false;
            wire.connection += 1;
        }
        self.weather.counts.bells_broken.add();
        self.weather
            .story
            .tell(&format!("{} hears nothing for {time:?}", self.name));
        sleep(time).await;
        self.wire().silences.push((from, Instant::now()));
        self.connect().await;
    }
}
