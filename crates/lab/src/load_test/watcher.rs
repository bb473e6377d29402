//! A watcher: follows one game after the other over an event stream, as a page does, and counts the events.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::LoadRun;
use super::client::{retry_after, root_cause};
use super::game::LoadedGame;
use super::sse::SseParser;
use super::stats::RequestKind;

/// A stream without data for this time has failed: servers send at least a comment every 15 seconds.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(40);

/// The reconnection delay if the stream has not set one.
const DEFAULT_RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// Follows one game after the other.
pub(super) struct Watcher {
    run: Arc<LoadRun>,
    server: u32,
    games: mpsc::UnboundedReceiver<Arc<LoadedGame>>,
    /// Cancelled when no more events are awaited.
    settled: CancellationToken,
}

/// The progress of a watcher in one game.
struct StreamProgress {
    /// The number of the next ply.
    next_ply: u32,
    /// When the first stream was opened.
    opened_at: Option<Instant>,
    /// The delay before reconnecting.
    reconnect_delay: Duration,
}

impl Watcher {
    pub(super) fn new(
        run: Arc<LoadRun>,
        server: u32,
        games: mpsc::UnboundedReceiver<Arc<LoadedGame>>,
        settled: CancellationToken,
    ) -> Self {
        Watcher {
            run,
            server,
            games,
            settled,
        }
    }

    /// Follows games until their player ends. Drops `opened` as soon as the first stream is open or has failed;
    /// `permits` limits how many watchers open a stream concurrently.
    pub(super) async fn run(mut self, permits: Arc<Semaphore>, opened: mpsc::Sender<()>) {
        let mut opened = Some(opened);
        while let Some(game) = self.games.recv().await {
            self.follow(&game, &permits, &mut opened).await;
        }
    }

    /// Follows a game until it is over and all events of its acknowledged plies were received.
    async fn follow(
        &self,
        game: &LoadedGame,
        permits: &Semaphore,
        opened: &mut Option<mpsc::Sender<()>>,
    ) {
        let mut progress = StreamProgress {
            next_ply: 0,
            opened_at: None,
            reconnect_delay: DEFAULT_RECONNECT_DELAY,
        };
        while !self.is_complete(game, &progress) && !self.settled.is_cancelled() {
            let permit = permits.acquire().await;
            let stream = self.open_stream(game, &mut progress).await;
            drop(permit);
            *opened = None;
            if let Some(stream) = stream {
                self.read_stream(game, &mut progress, stream).await;
                if self.is_complete(game, &progress) {
                    break;
                }
            }
            let done = game.done.cancelled();
            tokio::select! {
                () = sleep(progress.reconnect_delay) => {}
                () = self.settled.cancelled() => {}
                // A finished game may be complete already.
                () = done, if progress.next_ply >= game.acknowledged_plies() => {}
            }
        }
        let expected = game.acknowledged_plies();
        let mut events = self.run.stats.events.lock();
        events.expected += u64::from(expected);
        events.missed += u64::from(expected.saturating_sub(progress.next_ply));
    }

    fn is_complete(&self, game: &LoadedGame, progress: &StreamProgress) -> bool {
        game.done.is_cancelled() && progress.next_ply >= game.acknowledged_plies()
    }

    async fn open_stream(
        &self,
        game: &LoadedGame,
        progress: &mut StreamProgress,
    ) -> Option<Incoming> {
        let sent = Instant::now();
        // Like a page that shows the start position.
        let path = format!("/g/{}/events?from=0", game.id);
        let last = progress.next_ply.checked_sub(1);
        let response = self.run.client.open_stream(self.server, &path, last).await;
        let stats = &self.run.stats;
        match response {
            Err(error) => {
                stats.record_failure(RequestKind::Stream, &error);
                None
            }
            Ok(response) => {
                let status = response.status();
                stats.record_status(RequestKind::Stream, status.as_u16());
                if status.is_success() {
                    stats.record_success(RequestKind::Stream, sent.elapsed(), sent.elapsed());
                    if progress.opened_at.is_some() {
                        stats.events.lock().resumed += 1;
                    }
                    progress.opened_at.get_or_insert_with(Instant::now);
                    return Some(response.into_body());
                }
                if status == StatusCode::TOO_MANY_REQUESTS {
                    stats.rate_limited.increment();
                } else {
                    stats.record_failure(RequestKind::Stream, &status.to_string());
                }
                progress.reconnect_delay =
                    retry_after(response.headers()).unwrap_or(DEFAULT_RECONNECT_DELAY);
                None
            }
        }
    }

    /// Reads a stream until it ends or the game is complete.
    async fn read_stream(
        &self,
        game: &LoadedGame,
        progress: &mut StreamProgress,
        mut stream: Incoming,
    ) {
        let mut parser = SseParser::default();
        let mut is_done = false;
        loop {
            let frame = tokio::select! {
                frame = timeout(SILENCE_TIMEOUT, stream.frame()) => frame,
                () = self.settled.cancelled() => return,
                () = game.done.cancelled(), if !is_done => {
                    is_done = true;
                    if self.is_complete(game, progress) {
                        return;
                    }
                    continue;
                }
            };
            let bytes = match frame {
                // Servers close their streams on shutdown; watchers reconnect.
                Ok(None) => return,
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(Some(Err(error))) => {
                    self.run
                        .stats
                        .record_failure(RequestKind::Stream, &root_cause(&error));
                    return;
                }
                Err(_) => {
                    self.run
                        .stats
                        .record_failure(RequestKind::Stream, "silence");
                    return;
                }
            };
            parser.push(&bytes);
            for message in parser.take_messages() {
                progress.reconnect_delay = message.retry.unwrap_or(progress.reconnect_delay);
                if let Some(ply) = message.ply {
                    self.record_ply(game, progress, ply);
                }
            }
            if self.is_complete(game, progress) {
                return;
            }
        }
    }

    fn record_ply(&self, game: &LoadedGame, progress: &mut StreamProgress, ply: u32) {
        let stats = &self.run.stats;
        match ply.cmp(&progress.next_ply) {
            std::cmp::Ordering::Less => stats.events.lock().repeated += 1,
            std::cmp::Ordering::Greater => {
                let mut events = stats.events.lock();
                events.out_of_order += 1;
                events.missed += u64::from(ply - progress.next_ply);
                progress.next_ply = ply + 1;
            }
            std::cmp::Ordering::Equal => {
                let now = Instant::now();
                let opened_at = progress.opened_at.unwrap_or(now);
                stats.record_event(game.event_latency(ply, opened_at, now));
                progress.next_ply += 1;
            }
        }
    }
}
