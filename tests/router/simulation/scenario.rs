//! What happened, line by line, and all that was said to anybody: the same seed tells the same story.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, span};

/// The story of one seed.
pub(crate) struct Trace {
    started: Instant,
    state: Mutex<TraceState>,
}

#[derive(Default)]
struct TraceState {
    /// FNV-1a of all lines.
    hash: u64,
    lines: String,
    /// What servers told: their log, their errors, what they showed.
    output: String,
    failures: Vec<String>,
    is_over: bool,
}

impl Trace {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Trace {
            started: Instant::now(),
            state: Mutex::new(TraceState {
                hash: 0xcbf2_9ce4_8422_2325,
                ..TraceState::default()
            }),
        })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, TraceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long it goes on by now, in its own time.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How long it had gone on then.
    pub(crate) fn elapsed_at(&self, then: Instant) -> Duration {
        then.saturating_duration_since(self.started)
    }

    /// Something happened.
    pub(crate) fn log(&self, line: &str) {
        let at = self.elapsed().as_millis();
        let mut state = self.state();
        if state.is_over {
            return;
        }
        let from = state.lines.len();
        let _ = writeln!(state.lines, "{at:>6} {line}");
        let mut hash = state.hash;
        for byte in &state.lines.as_bytes()[from..] {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        state.hash = hash;
    }

    /// What happens from now on is heard, and is no part of the story.
    pub(crate) fn stop_recording(&self) {
        self.state().is_over = true;
    }

    /// A server told somebody this.
    pub(crate) fn log_output(&self, text: &str) {
        let mut state = self.state();
        state.output.push_str(text);
        state.output.push('\n');
    }

    /// Something is not as it must be.
    pub(crate) fn fail(&self, what: &str) {
        self.log(&format!("FAULT {what}"));
        self.state().failures.push(what.to_owned());
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        self.state().failures.clone()
    }

    pub(crate) fn lines(&self) -> String {
        self.state().lines.clone()
    }

    pub(crate) fn hash(&self) -> u64 {
        self.state().hash
    }

    /// Whether a server told somebody these words.
    pub(crate) fn output_contains(&self, text: &str) -> bool {
        self.state().output.contains(text)
    }

    /// How many bytes servers have said.
    pub(crate) fn output_len(&self) -> usize {
        self.state().output.len()
    }
}

/// Takes down what the services log, wide awake.
pub(crate) struct TraceSubscriber(Arc<Trace>);

impl TraceSubscriber {
    /// One who takes down what is logged on this thread as long as the guard is kept.
    ///
    /// While `tracing` knows of one subscriber alone, it asks the thread that logs a line first whether it has one, and
    /// drops that line everywhere if it has none. Threads of other tests have none, so there is always another one.
    pub(crate) fn of(trace: &Arc<Trace>) -> DefaultGuard {
        static OTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(TraceSubscriber(Trace::new())));
        LazyLock::force(&OTHER);
        tracing::subscriber::set_default(TraceSubscriber(Arc::clone(trace)))
    }
}

impl tracing::Subscriber for TraceSubscriber {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("dice_of_doom")
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut text = FieldText::default();
        attributes.record(&mut text);
        self.0.log_output(&text.0);
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        let mut text = FieldText::default();
        values.record(&mut text);
        self.0.log_output(&text.0);
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = FieldText::default();
        event.record(&mut text);
        self.0.log_output(&text.0);
        self.0.log(&format!("      log{}", text.0));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct FieldText(String);

impl Visit for FieldText {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // How long it took by the clock on the wall is another story each time.
        if field.name() != "seconds" {
            let _ = write!(self.0, " {}={value:?}", field.name());
        }
    }
}
