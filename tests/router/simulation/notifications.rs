//! The bell of one instance: a connection of its own, over which rings are lost, late, out of order and twice, and
//! which breaks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dice_of_doom::store::ChangeNotification;
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep};

use super::faults::FaultModel;
use super::model::InjectedBug;

/// How many rings may wait, as in the archive of PostgreSQL.
const CAPACITY: usize = 1024;

/// With the planted fault so much time is between looking and listening.
const GAP: Duration = Duration::from_millis(120);

pub(crate) struct NotificationChannel {
    pub(crate) name: String,
    pub(crate) sender: broadcast::Sender<ChangeNotification>,
    faults: Arc<FaultModel>,
    bug: Option<InjectedBug>,
    is_gone: AtomicBool,
    state: Mutex<ConnectionState>,
}

#[derive(Default)]
struct ConnectionState {
    is_listening: bool,
    /// Counts connections: what was under way on an earlier one never comes.
    connection: u32,
    /// From when to when nothing was heard.
    outages: Vec<(Instant, Instant)>,
}

impl NotificationChannel {
    pub(crate) fn new(name: &str, faults: &Arc<FaultModel>, bug: Option<InjectedBug>) -> Arc<Self> {
        Arc::new(NotificationChannel {
            name: name.to_owned(),
            sender: broadcast::Sender::new(CAPACITY),
            faults: Arc::clone(faults),
            bug,
            is_gone: AtomicBool::new(false),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn close(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    /// The end of the silence into which this moment falls.
    pub(crate) fn outage_end(&self, then: Instant) -> Option<Instant> {
        let outages = &self.state().outages;
        let mut outages = outages.iter();
        let silence = outages.find(|(from, until)| (*from..=*until).contains(&then));
        silence.map(|(_, until)| *until)
    }

    /// Something happened in the archive.
    pub(crate) fn notify(self: &Arc<Self>, notification: ChangeNotification) {
        let connection = {
            let state = self.state();
            if !state.is_listening || self.is_closed() {
                return;
            }
            state.connection
        };
        for delay in self.faults.notification_delays() {
            let (channel, notification) = (Arc::clone(self), notification.clone());
            tokio::spawn(async move {
                sleep(delay).await;
                let is_delivered = {
                    let state = channel.state();
                    state.connection == connection && !channel.is_closed()
                };
                if is_delivered {
                    // Nobody may be there to hear it.
                    let _ = channel.sender.send(notification);
                }
            });
        }
    }

    /// The connection is made: first it listens, and then whoever hears looks at everything.
    pub(crate) async fn connect(&self) {
        if self.bug == Some(InjectedBug::ReadBeforeListen) {
            let _ = self.sender.send(ChangeNotification::Missed);
            self.faults.trace.log(&format!("{} looks", self.name));
            sleep(GAP).await;
            self.state().is_listening = true;
        } else {
            self.state().is_listening = true;
            let _ = self.sender.send(ChangeNotification::Missed);
        }
        self.faults.trace.log(&format!("{} hears", self.name));
    }

    /// The connection breaks, and is made anew after this time.
    pub(crate) async fn break_for(&self, time: Duration) {
        let from = Instant::now();
        {
            let mut state = self.state();
            if !state.is_listening {
                return;
            }
            state.is_listening = false;
            state.connection += 1;
        }
        self.faults.counts.channels_broken.add();
        self.faults
            .trace
            .log(&format!("{} hears nothing for {time:?}", self.name));
        sleep(time).await;
        self.state().outages.push((from, Instant::now()));
        self.connect().await;
    }
}
