//! Metrics for operators in the Prometheus text format, on a separate listener.
//!
//! Labels are bounded: the matched route instead of the path, standard methods, and the status. Names and labels are a
//! stable interface for dashboards, so the counting layer is implemented here; tower-http's layer only counts requests
//! in flight. Without [`install`], recording is a no-op.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics::Unit;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::http::{connections, guard, headers};
use crate::store;
use crate::tables::{leases, scheduler, table_registry};

/// Responses, by route, method and status.
pub const REQUESTS: &str = "http_requests_total";
/// Seconds until the response started, by route and method.
pub const LATENCY: &str = "http_request_duration_seconds";

/// Open event streams.
pub const STREAMS: &str = "streams_open";
/// Events sent, counted per stream.
pub const EVENTS: &str = "events_sent_total";

/// Upper bounds in seconds. They include 20, 50, 100 and 250 ms, which are documented response times.
const BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

/// Starts recording for the whole process; further calls do nothing.
pub fn install() {
    RECORDER.get_or_init(|| {
        let recorder = PrometheusBuilder::new()
            .set_buckets(&BUCKETS)
            .expect("the bucket list is not empty")
            .build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!(
                "another metrics recorder is already installed, so /metrics stays empty"
            );
        }
        // Gauges and counters that nothing has set yet report 0 instead of being absent.
        for gauge in [
            STREAMS,
            table_registry::METRIC_GAMES_IN_MEMORY,
            leases::METRIC_LEASES_HELD,
            scheduler::METRIC_WAITING,
            scheduler::METRIC_RUNNING,
            scheduler::METRIC_LONGEST_WAIT,
        ] {
            metrics::gauge!(gauge).set(0.0);
        }
        for counter in [EVENTS, leases::METRIC_PLIES_FENCED, store::metrics::CHANGES] {
            metrics::counter!(counter).increment(0);
        }
        describe();
        handle
    });
}

/// Registers the unit and description of every metric.
pub fn describe() {
    for (counter, about) in [
        (REQUESTS, "Requests answered"),
        (EVENTS, "Events sent, once for each stream"),
        (
            leases::METRIC_PLIES_FENCED,
            "Plies of computers that came too late: another server had taken the game over",
        ),
        (store::metrics::CHANGES, "Changes committed to the database"),
    ] {
        metrics::describe_counter!(counter, about);
    }
    for (gauge, about) in [
        (STREAMS, "Streams of events that are open"),
        (
            scheduler::METRIC_WAITING,
            "Turns of computers that wait for a thread",
        ),
        (
            scheduler::METRIC_RUNNING,
            "Threads on which computers think",
        ),
        (table_registry::METRIC_GAMES_IN_MEMORY, "Games in memory"),
        (
            leases::METRIC_LEASES_HELD,
            "Games of computers with which this server goes on",
        ),
    ] {
        metrics::describe_gauge!(gauge, about);
    }
    metrics::describe_gauge!(
        scheduler::METRIC_LONGEST_WAIT,
        Unit::Seconds,
        "Time for which the turn has been waiting that has waited longest, when the queue last moved"
    );
    for (histogram, about) in [
        (LATENCY, "Time until the answer began"),
        (
            scheduler::METRIC_QUEUE_SECONDS,
            "Time that a computer waited for a thread, by ply",
        ),
        (
            scheduler::METRIC_COMPUTE_SECONDS,
            "Time that a computer thought, by ply",
        ),
        (
            store::metrics::COMMIT,
            "Time that a commit took, with all changes that waited for it",
        ),
        (
            store::metrics::QUERY,
            "Time until PostgreSQL had answered a question, the wait for a connection included",
        ),
        (
            store::metrics::CONNECTION,
            "Time that a question would have waited for a connection, measured once a second",
        ),
        (
            store::metrics::NOTIFICATION_DELAY,
            "Time from a commit until another server hears of it, measured once a second",
        ),
    ] {
        metrics::describe_histogram!(histogram, Unit::Seconds, about);
    }
}

/// Counts requests and measures response times.
pub fn layer<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router.layer(from_fn(record_request))
}

async fn record_request(request: Request, next: Next) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("none", |path| path.as_str())
        .to_owned();
    let method = method_label(request.method());
    let start = Instant::now();
    let response = next.run(request).await;
    let elapsed = start.elapsed();
    let status = response.status().as_u16().to_string();
    tracing::debug!(
        route,
        method,
        status,
        seconds = elapsed.as_secs_f64(),
        "answered"
    );
    metrics::counter!(REQUESTS, "route" => route.clone(), "method" => method, "status" => status)
        .increment(1);
    metrics::histogram!(LATENCY, "route" => route, "method" => method)
        .record(elapsed.as_secs_f64());
    response
}

pub(in crate::site) fn stream_opened() {
    metrics::gauge!(STREAMS).increment(1.0);
}

pub(in crate::site) fn stream_closed() {
    metrics::gauge!(STREAMS).decrement(1.0);
}

pub(in crate::site) fn events_sent(events: usize) {
    metrics::counter!(EVENTS).increment(events as u64);
}

/// The method as a label value; unknown methods share one.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// `GET /metrics`.
pub fn router() -> Router {
    Router::new().route("/metrics", get(report))
}

async fn report() -> Response {
    const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
    let metrics_text = RECORDER.get().map(PrometheusHandle::render);
    (
        [(header::CONTENT_TYPE, TEXT)],
        metrics_text.unwrap_or_default(),
    )
        .into_response()
}

/// Serves [`router`] on its own listener until `stop`.
///
/// # Errors
/// If the listener fails permanently.
pub async fn serve(listener: TcpListener, stop: CancellationToken) -> std::io::Result<()> {
    let upkeep = tokio::spawn(run_upkeep(stop.clone()));
    let app = headers::layer(guard::with_guard(
        router(),
        guard::RequestGuard::default().into(),
    ));
    let served = connections::serve(
        listener,
        app,
        connections::ConnectionLimits::default(),
        stop,
    )
    .await;
    upkeep.abort();
    served
}

/// Drains the histogram samples regularly, which otherwise happens only when `/metrics` is read.
async fn run_upkeep(stop: CancellationToken) {
    const EVERY: Duration = Duration::from_secs(5);
    while stop
        .run_until_cancelled(tokio::time::sleep(EVERY))
        .await
        .is_some()
    {
        if let Some(recorder) = RECORDER.get() {
            recorder.run_upkeep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use tower::ServiceExt;

    #[test]
    fn streams_are_counted() {
        install();
        stream_opened();
        stream_opened();
        stream_closed();
        events_sent(3);
        let text = RECORDER.get().unwrap().render();
        assert!(text.contains("streams_open 1"), "{text}");
        assert!(text.contains("events_sent_total 3"), "{text}");
    }

    #[tokio::test]
    async fn paths_do_not_become_labels() {
        install();
        let app = layer(Router::new().route("/g/{id}", get(|| async { "" })));
        for path in ["/g/one", "/g/two", "/nowhere/three"] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            app.clone().oneshot(request).await.unwrap();
        }
        let text = RECORDER.get().unwrap().render();
        assert!(text.contains(r#"route="/g/{id}""#), "{text}");
        assert!(text.contains(r#"route="none""#), "{text}");
        assert!(!text.contains("two") && !text.contains("three"), "{text}");
    }
}
