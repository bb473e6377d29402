//! The notification channel of an instance: a separate connection that loses, delays, reorders and duplicates
//! notifications, and that breaks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dice_of_doom::store::ChangeNotification;
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep};

use super::faults::FaultModel;
use super::model::InjectedBug;

/// The capacity of the channel, as in the PostgreSQL store.
const CAPACITY: usize = 1024;

/// The time between reading and listening with [`InjectedBug::ReadBeforeListen`].
const GAP: Duration = Duration::from_millis(120);

pub(crate) struct NotificationChannel {
    pub(crate) name: String,
    pub(crate) sender: broadcast::Sender<ChangeNotification>,
    faults: Arc<FaultModel>,
    bug: Option<InjectedBug>,
    is_closed: AtomicBool,
    state: Mutex<ConnectionState>,
}

#[derive(Default)]
struct ConnectionState {
    is_listening: bool,
    /// Counts connections: notifications of an earlier connection are dropped.
    connection: u32,
    /// The beginning and the end of each outage.
    outages: Vec<(Instant, Instant)>,
}

impl NotificationChannel {
    pub(crate) fn new(name: &str, faults: &Arc<FaultModel>, bug: Option<InjectedBug>) -> Arc<Self> {
        Arc::new(NotificationChannel {
            name: name.to_owned(),
            sender: broadcast::Sender::new(CAPACITY),
            faults: Arc::clone(faults),
            bug,
            is_closed: AtomicBool::new(false),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// The end of the outage that contains this time.
    pub(crate) fn outage_end(&self, then: Instant) -> Option<Instant> {
        let outages = &self.state().outages;
        let mut outages = outages.iter();
        let outage = outages.find(|(from, until)| (*from..=*until).contains(&then));
        outage.map(|(_, until)| *until)
    }

    /// Sends a notification about a change in the store.
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
                    // There may be no receiver.
                    let _ = channel.sender.send(notification);
                }
            });
        }
    }

    /// Connects: listens first and then makes the receiver read everything.
    pub(crate) async fn connect(&self) {
        if self.bug == Some(InjectedBug::ReadBeforeListen) {
            let _ = self.sender.send(ChangeNotification::Lagged);
            self.faults.trace.log(&format!("{} reads", self.name));
            sleep(GAP).await;
            self.state().is_listening = true;
        } else {
            self.state().is_listening = true;
            let _ = self.sender.send(ChangeNotification::Lagged);
        }
        self.faults.trace.log(&format!("{} listens", self.name));
    }

    /// Breaks the connection and reconnects after this time.
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
            .log(&format!("{} is disconnected for {time:?}", self.name));
        sleep(time).await;
        self.state().outages.push((from, Instant::now()));
        self.connect().await;
    }
}
