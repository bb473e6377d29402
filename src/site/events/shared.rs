//! Several games in one stream, at `GET /events?game=ID.FROM&game=ID.FROM`: for all tabs of a browser, which opens at
//! most six connections per server over HTTP/1.1.
//!
//! `FROM` is the first ply to send. After a `ping` follow the events of `/g/{id}/events`; an `about` event precedes the
//! first one, and each one that is about another game than its predecessor:
//!
//! ```text
//! event: about
//! data: {"event":"about","game":"k3v9x0q2mz"}
//! ```
//!
//! A game that cannot be followed is reported as `bye`. The stream ends after the `bye` of all games.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use futures_util::stream::{self, SelectAll, StreamExt as _};

use super::EventStream;
use crate::formats::entries::EventFormat;
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::http::event_stream::{
    close_event, event_message, event_stream_response, keep_alive_event, parse_number,
};
use crate::site::shared::app::App;
use crate::site::shared::form::Query;
use crate::site::shared::identity::BrowserSession;

/// The maximum number of games per stream.
const MAX_GAMES: usize = 64;

/// `GET /events`
pub(in crate::site) async fn shared(
    State(app): State<App>,
    method: Method,
    client: Client,
    browser: BrowserSession,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Response, HttpError> {
    let query = query.iter().filter(|(name, _)| name == "game");
    let games: Option<Vec<(&str, u32)>> = query
        .map(|(_, game)| {
            let (id, from) = game.split_once('.')?;
            Some((id, parse_number(from)?))
        })
        .collect();
    let games = games.filter(|games| (1..=MAX_GAMES).contains(&games.len()));
    let games = games.ok_or_else(|| {
        HttpError::bad_request("game is a game's id, a dot and a ply's number; at most 64 games")
    })?;
    if method == Method::HEAD {
        return Ok(event_stream_response(Body::empty()));
    }
    let credentials = browser.read_credentials();
    // The first message contains the keep-alive interval.
    let ping = keep_alive_event(app.limits.subscribers.limits.keep_alive);
    let mut streams = SelectAll::new();
    for (id, first) in games {
        let events = match app.viewable_game(id, &credentials).await {
            Ok(snapshot) => {
                let id = &snapshot.id;
                EventStream::open(
                    &app,
                    id,
                    &client,
                    credentials,
                    Some(first),
                    EventFormat::Pages,
                )
                .await
            }
            Err(error) => Err(error),
        };
        let messages = match events {
            Ok(events) => stream::unfold(Box::new(events), EventStream::next).left_stream(),
            Err(_) => stream::iter([Ok(close_event())]).right_stream(),
        };
        let id: Arc<str> = id.into();
        streams.push(Box::pin(
            messages.map(move |message| (Arc::clone(&id), message)),
        ));
    }
    let mut about = None;
    let messages = streams.map(move |(id, message)| {
        if about.as_ref() == Some(&id) {
            return message;
        }
        let about_event = event_message("about", "", &format!("{{\"game\":\"{id}\"}}"));
        about = Some(id);
        message.map(|message| Bytes::from([about_event.as_bytes(), &message].concat()))
    });
    let messages = stream::iter([Ok(ping)]).chain(messages);
    Ok(event_stream_response(Body::from_stream(messages)))
}
