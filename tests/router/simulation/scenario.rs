//! The trace of a simulation: events line by line, and all output of the servers. The same seed gives the same trace.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, span};

/// The trace of one seed.
pub(crate) struct Trace {
    started: Instant,
    state: Mutex<TraceState>,
}

#[derive(Default)]
struct TraceState {
    /// FNV-1a hash of all lines.
    hash: u64,
    lines: String,
    /// Output of the servers: logs, errors and responses.
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

    /// The simulated time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The simulated time of an instant since the start.
    pub(crate) fn elapsed_at(&self, then: Instant) -> Duration {
        then.saturating_duration_since(self.started)
    }

    /// Appends an event.
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

    /// Ends the trace; output is still recorded.
    pub(crate) fn stop_recording(&self) {
        self.state().is_over = true;
    }

    /// Records output of a server.
    pub(crate) fn log_output(&self, text: &str) {
        let mut state = self.state();
        state.output.push_str(text);
        state.output.push('\n');
    }

    /// Records a violated guarantee.
    pub(crate) fn fail(&self, what: &str) {
        self.log(&format!("FAILURE {what}"));
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

    /// Whether any output contains this text.
    pub(crate) fn output_contains(&self, text: &str) -> bool {
        self.state().output.contains(text)
    }

    /// The length of all output in bytes.
    pub(crate) fn output_len(&self) -> usize {
        self.state().output.len()
    }
}

/// Records all logs of the services, at every level.
pub(crate) struct TraceSubscriber(Arc<Trace>);

impl TraceSubscriber {
    /// Installs a subscriber for this thread; it is active until the guard is dropped.
    ///
    /// With a single subscriber `tracing` caches the interest of the first thread that reaches a log statement.
    /// Threads of other tests have no subscriber, which would disable the statement everywhere, so a second
    /// subscriber always exists.
    pub(crate) fn of(trace: &Arc<Trace>) -> DefaultGuard {
        static OTHER: LazyLock<Dispatch> =
            LazyLock::new(|| Dispatch::new(TraceSubscriber(Trace::new())));
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
        // Measured in real time, which is not deterministic.
        if field.name() != "seconds" {
            let _ = write!(self.0, " {}={value:?}", field.name());
        }
    }
}
