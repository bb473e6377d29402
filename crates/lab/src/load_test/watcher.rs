//! Whoever watches: one game after the other over a stream of events, as a page does, and counts what comes.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::LoadRun;
use super::client::{cause, retry_after};
use super::game::LoadedGame;
use super::sse::Messages;
use super::stats::RequestKind;

/// A stream that says nothing for so long is broken: servers speak every 15 seconds.
const SILENCE: Duration = Duration::from_secs(40);

/// How long to stay away where a stream has not said so.
const AWAY: Duration = Duration::from_secs(1);

/// Follows one game after the other.
pub(super) struct Watcher {
    run: Arc<LoadRun>,
    server: u32,
    games: mpsc::UnboundedReceiver<Arc<LoadedGame>>,
    /// Nothing is waited for any more.
    settled: CancellationToken,
}

/// How far a watcher is with a game.
struct StreamProgress {
    /// The number of the ply that comes next.
    next: u32,
    /// When its stream was first open.
    since: Option<Instant>,
    /// How long to stay away after the stream.
    away: Duration,
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

    /// Follows games until their player ends. Lets go of `opened` as soon as the first stream is open, or failed; of
    /// all watchers only so many open one at a time as there is `room`.
    pub(super) async fn run(mut self, room: Arc<Semaphore>, opened: mpsc::Sender<()>) {
        let mut opened = Some(opened);
        while let Some(table) = self.games.recv().await {
            self.follow(&table, &room, &mut opened).await;
        }
    }

    /// Follows a game until all of its acknowledged plies have been heard, and no more come.
    async fn follow(
        &self,
        table: &LoadedGame,
        room: &Semaphore,
        opened: &mut Option<mpsc::Sender<()>>,
    ) {
        let mut heard = StreamProgress {
            next: 0,
            since: None,
            away: AWAY,
        };
        while !self.is_all(table, &heard) && !self.settled.is_cancelled() {
            let place = room.acquire().await;
            let stream = self.open(table, &mut heard).await;
            drop(place);
            *opened = None;
            if let Some(stream) = stream {
                self.listen(table, &mut heard, stream).await;
                if self.is_all(table, &heard) {
                    break;
                }
            }
            let done = table.done.cancelled();
            tokio::select! {
                () = sleep(heard.away) => {}
                () = self.settled.cancelled() => {}
                // A game in which nothing more comes may have been heard as a whole.
                () = done, if heard.next >= table.length() => {}
            }
        }
        let expected = table.length();
        let mut events = self.run.tally.events();
        events.expected += u64::from(expected);
        events.missed += u64::from(expected.saturating_sub(heard.next));
    }

    fn is_all(&self, table: &LoadedGame, heard: &StreamProgress) -> bool {
        table.done.is_cancelled() && heard.next >= table.length()
    }

    async fn open(&self, table: &LoadedGame, heard: &mut StreamProgress) -> Option<Incoming> {
        let sent = Instant::now();
        // As a page asks that shows the position before any ply.
        let path = format!("/g/{}/events?from=0", table.id);
        let last = heard.next.checked_sub(1);
        let answer = self.run.wire.follow(self.server, &path, last).await;
        let tally = &self.run.tally;
        match answer {
            Err(why) => {
                tally.failed(RequestKind::Stream, &why);
                None
            }
            Ok(answer) => {
                let status = answer.status();
                tally.status(RequestKind::Stream, status.as_u16());
                if status.is_success() {
                    tally.good(RequestKind::Stream, sent.elapsed(), sent.elapsed());
                    if heard.since.is_some() {
                        tally.events().resumed += 1;
                    }
                    heard.since.get_or_insert_with(Instant::now);
                    return Some(answer.into_body());
                }
                if status == StatusCode::TOO_MANY_REQUESTS {
                    tally.told_to_wait();
                } else {
                    tally.failed(RequestKind::Stream, &status.to_string());
                }
                heard.away = retry_after(answer.headers()).unwrap_or(AWAY);
                None
            }
        }
    }

    /// Until the stream ends, or the game has been heard.
    async fn listen(&self, table: &LoadedGame, heard: &mut StreamProgress, mut stream: Incoming) {
        let mut messages = Messages::default();
        let mut is_done = false;
        loop {
            let frame = tokio::select! {
                frame = timeout(SILENCE, stream.frame()) => frame,
                () = self.settled.cancelled() => return,
                () = table.done.cancelled(), if !is_done => {
                    is_done = true;
                    if self.is_all(table, heard) {
                        return;
                    }
                    continue;
                }
            };
            let bytes = match frame {
                // Servers end streams when they end: whoever follows comes back.
                Ok(None) => return,
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(Some(Err(error))) => {
                    self.run.tally.failed(RequestKind::Stream, &cause(&error));
                    return;
                }
                Err(_) => {
                    self.run.tally.failed(RequestKind::Stream, "silence");
                    return;
                }
            };
            messages.push(&bytes);
            for message in messages.take() {
                heard.away = message.retry.unwrap_or(heard.away);
                if let Some(ply) = message.ply {
                    self.hear(table, heard, ply);
                }
            }
            if self.is_all(table, heard) {
                return;
            }
        }
    }

    fn hear(&self, table: &LoadedGame, heard: &mut StreamProgress, ply: u32) {
        let tally = &self.run.tally;
        match ply.cmp(&heard.next) {
            std::cmp::Ordering::Less => tally.events().repeated += 1,
            std::cmp::Ordering::Greater => {
                let mut events = tally.events();
                events.out_of_order += 1;
                events.missed += u64::from(ply - heard.next);
                heard.next = ply + 1;
            }
            std::cmp::Ordering::Equal => {
                let now = Instant::now();
                let since = heard.since.unwrap_or(now);
                tally.heard(table.travelled(ply, since, now));
                heard.next += 1;
            }
        }
    }
}
