//! What happened, line by line, and all that was said to anybody: the same seed tells the same story.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, span};

/// The story of one seed.
pub(crate) struct Story {
    begun: Instant,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// FNV-1a of all lines.
    hash: u64,
    lines: String,
    /// What servers told: their log, their errors, what they showed.
    said: String,
    faults: Vec<String>,
    is_over: bool,
}

impl Story {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Story {
            begun: Instant::now(),
            told: Mutex::new(Told {
                hash: 0xcbf2_9ce4_8422_2325,
                ..Told::default()
            }),
        })
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long it goes on by now, in its own time.
    pub(crate) fn time(&self) -> Duration {
        self.begun.elapsed()
    }

    /// How long it had gone on then.
    pub(crate) fn since_begun(&self, then: Instant) -> Duration {
        then.saturating_duration_since(self.begun)
    }

    /// Something happened.
    pub(crate) fn tell(&self, line: &str) {
        let at = self.time().as_millis();
        let mut told = self.told();
        if told.is_over {
            return;
        }
        let from = told.lines.len();
        let _ = writeln!(told.lines, "{at:>6} {line}");
        let mut hash = told.hash;
        for byte in &told.lines.as_bytes()[from..] {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        told.hash = hash;
    }

    /// What happens from now on is heard, and is no part of the story.
    pub(crate) fn end(&self) {
        self.told().is_over = true;
    }

    /// A server told somebody this.
    pub(crate) fn say(&self, words: &str) {
        let mut told = self.told();
        told.said.push_str(words);
        told.said.push('\n');
    }

    /// Something is not as it must be.
    pub(crate) fn fault(&self, what: &str) {
        self.tell(&format!("FAULT {what}"));
        self.told().faults.push(what.to_owned());
    }

    pub(crate) fn faults(&self) -> Vec<String> {
        self.told().faults.clone()
    }

    pub(crate) fn lines(&self) -> String {
        self.told().lines.clone()
    }

    pub(crate) fn hash(&self) -> u64 {
        self.told().hash
    }

    /// Whether a server told somebody these words.
    pub(crate) fn has_said(&self, words: &str) -> bool {
        self.told().said.contains(words)
    }

    /// How many bytes servers have said.
    pub(crate) fn said_bytes(&self) -> usize {
        self.told().said.len()
    }
}

/// Takes down what the services log, wide awake.
pub(crate) struct Scribe(Arc<Story>);

impl Scribe {
    /// One who takes down what is logged on this thread as long as the guard is kept.
    ///
    /// While `tracing` knows of one subscriber alone, it asks the thread that logs a line first whether it has one, and
    /// drops that line everywhere if it has none. Threads of other tests have none, so there is always another one.
    pub(crate) fn of(story: &Arc<Story>) -> DefaultGuard {
        static OTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Scribe(Story::new())));
        LazyLock::force(&OTHER);
        tracing::subscriber::set_default(Scribe(Arc::clone(story)))
    }
}

impl tracing::Subscriber for Scribe {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("dice_of_doom")
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut words = Words::default();
        attributes.record(&mut words);
        self.0.say(&words.0);
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        let mut words = Words::default();
        values.record(&mut words);
        self.0.say(&words.0);
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut words = Words::default();
        event.record(&mut words);
        self.0.say(&words.0);
        self.0.tell(&format!("      log{}", words.0));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // How long it took by the clock on the wall is another story each time.
        if field.name() != "seconds" {
            let _ = write!(self.0, " {}={value:?}", field.name());
        }
    }
}
