//! The page about the API: each call, its description, and a command to paste.

use maud::{Markup, html};

use super::localization::Translations;
use super::page::{Refresh, SiteContext, emphasised, page, page_title, stylesheet_link};

const CALLS: [(&str, &str, &str); 27] = [
    (
        "POST /api/v1/games",
        "api-create",
        r#"curl -d '{"game":"dice","seats":["human","book","book","book"]}' -H 'Content-Type: application/json' {host}/api/v1/games"#,
    ),
    (
        "GET /api/v1/games/{id}",
        "api-state",
        "curl '{host}/api/v1/games/ID?wait=1'",
    ),
    (
        "GET /api/v1/games/{id}/moves",
        "api-moves",
        "curl {host}/api/v1/games/ID/moves",
    ),
    (
        "POST /api/v1/games/{id}/moves",
        "api-play",
        r#"curl -d '{"ply":0,"path":[12,13]}' -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' {host}/api/v1/games/ID/moves"#,
    ),
    (
        "POST /api/v1/games/{id}/entropy",
        "api-entropy",
        r#"curl -d '{"ply":4,"entropy":"3 5 2 6"}' -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' {host}/api/v1/games/ID/entropy"#,
    ),
    (
        "POST /api/v1/games/{id}/undo",
        "api-undo",
        r#"curl -d '{"ply":4}' -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' {host}/api/v1/games/ID/undo"#,
    ),
    (
        "GET /api/v1/games/{id}/hint",
        "api-hint",
        "curl -H 'Authorization: Bearer TOKEN' {host}/api/v1/games/ID/hint",
    ),
    (
        "POST /api/v1/games/{id}/resign",
        "api-resign",
        "curl -X POST -H 'Authorization: Bearer TOKEN' {host}/api/v1/games/ID/resign",
    ),
    (
        "POST /api/v1/games/{id}/join",
        "api-join",
        r#"curl -d '{"invite":"INVITE","name":null}' -H 'Content-Type: application/json' {host}/api/v1/games/ID/join"#,
    ),
    (
        "POST /api/v1/games/{id}/start",
        "api-start",
        "curl -X POST -H 'Authorization: Bearer TOKEN' {host}/api/v1/games/ID/start",
    ),
    (
        "POST /api/v1/games/{id}/step",
        "api-step",
        r#"curl -d '{"ply":0}' -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' {host}/api/v1/games/ID/step"#,
    ),
    (
        "POST /api/v1/games/{id}/rematch",
        "api-rematch",
        "curl -X POST -H 'Authorization: Bearer TOKEN' {host}/api/v1/games/ID/rematch",
    ),
    (
        "POST /api/v1/games/{id}/play-on",
        "api-play-on",
        r#"curl -d '{"ply":4,"seats":["human","book","book","book"]}' -H 'Content-Type: application/json' {host}/api/v1/games/ID/play-on"#,
    ),
    (
        "POST /api/v1/games/{id}/review",
        "api-review-ask",
        "curl -X POST {host}/api/v1/games/ID/review",
    ),
    (
        "GET /api/v1/games/{id}/review",
        "api-review",
        "curl {host}/api/v1/games/ID/review",
    ),
    (
        "GET /api/v1/levels",
        "api-levels",
        "curl '{host}/api/v1/levels?game=dice'",
    ),
    (
        "POST /api/v1/rate",
        "api-rate",
        r#"curl -d '{"position":"dice.v2.2.2.3.a3b2b1a2.0.0.1","search":"alphabeta","depth":4}' -H 'Content-Type: application/json' {host}/api/v1/rate"#,
    ),
    (
        "POST /api/v1/choose",
        "api-choose",
        r#"curl -d '{"position":"dice.v2.2.2.3.a3b2b1a2.0.0.1","level":"master","nodes":400,"seed":1}' -H 'Content-Type: application/json' {host}/api/v1/choose"#,
    ),
    (
        "POST /api/v1/solve",
        "api-solve",
        r#"curl -d '{"position":{"game":"trilobite","width":7,"height":6,"columns":"44444"},"nodes":2000000}' -H 'Content-Type: application/json' {host}/api/v1/solve"#,
    ),
    (
        "GET /api/v1/games/{id}/record",
        "api-record",
        "curl {host}/api/v1/games/ID/record",
    ),
    (
        "GET /api/v1/games",
        "api-list",
        "curl '{host}/api/v1/games?of=watchable&limit=20'",
    ),
    (
        "GET /api/v1/games.ndjson",
        "api-lines",
        "curl -N '{host}/api/v1/games.ndjson?of=watchable'",
    ),
    (
        "POST /api/v1/records",
        "api-records",
        "curl --data-binary @game.txt -H 'Content-Type: text/plain' {host}/api/v1/records",
    ),
    (
        "GET /api/v1/games/{id}/events",
        "api-events",
        "curl -N -H 'Authorization: Bearer TOKEN' {host}/api/v1/games/ID/events",
    ),
    (
        "POST /api/v1/programs",
        "api-program",
        r#"curl -d '{"name":"Robot"}' -H 'Content-Type: application/json' {host}/api/v1/programs"#,
    ),
    (
        "GET /api/v1/events",
        "api-program-events",
        "curl -N -H 'Authorization: Bearer TOKEN' {host}/api/v1/events",
    ),
    (
        "POST /api/v1/games/{id}/decline",
        "api-decline",
        "curl -X POST -H 'Authorization: Bearer TOKEN' {host}/api/v1/games/ID/decline",
    ),
];

const STREAM: &str = r#"retry: 1873
event: watchers
data: {"count":2}

event: game
data: {"id":"k3v9x0q2mz","game":"dice","rules":"v4",…,"ply":17,"player":0,"state":{"board":[[0,2],[0,1],[1,3],…],"player":0,…},"over":false,"seats":[…],"moves":[{"path":null,"ok":{…},"fail":null,"odds":null},{"path":[12,13],"ok":{…},"fail":{…},"odds":0.838…},…]}

event: ply
id: 17
data: {"ply":17,"player":0,"path":[12,13],"roll":{"attack":[6,4],"defend":[3]},"at":1764583200000,"captured":true,"reinforced":[],"over":false,"game":"dice","after":{"ply":18,"player":0,"state":{…},"over":false,"winners":null,"ending":null,"moves":[…]}}

event: ply
id: 18
data: {"ply":18,"player":0,"path":null,"roll":null,"at":1764583203000,"captured":null,"reinforced":[[4,1],[9,1]],"over":false,"game":"dice","after":{"ply":19,"player":1,"state":{…},"over":false,"winners":null,"ending":null}}

event: seats
data: {"revision":1}

event: over
data: {"ending":"rules","winners":[0],"ply":43}

event: bye
retry: 2210
data: {}
"#;

/// The events with the message keys of their descriptions.
const EVENTS: [(&str, &str); 6] = [
    ("game", "api-event-game"),
    ("ply", "api-event-ply"),
    ("watchers", "api-event-watchers"),
    ("seats", "api-event-seats"),
    ("over", "api-event-over"),
    ("bye", "api-event-bye"),
];

/// The JSON fields of a game's positions.
#[derive(Clone, Copy, Debug)]
pub struct PositionFieldsView {
    /// Message key of the game's displayed name.
    pub title: &'static str,
    /// The fields with the message keys of their descriptions.
    pub fields: &'static [(&'static str, &'static str)],
}

/// Renders the page `/api`; `here` is the server's origin as the client sees it, such as
/// `http://localhost:8080`.
#[must_use]
pub fn api_page(
    site: &SiteContext<'_>,
    text: &Translations,
    origin: &str,
    games: &[PositionFieldsView],
) -> Markup {
    let title = text.get("api-title");
    let main = html! {
        main #main.page {
            (stylesheet_link(site, "text-pages.css"))
            h1 { (title) }
            p.lead { (text.get("api-lead")) }
            p { a href=(text.path("/openapi.json")) { (text.get("api-openapi")) } }
            h2 { (text.get("api-calls")) }
            @for (call, about, line) in CALLS {
                section.call {
                    h3 { code { (call) } }
                    p { (emphasised(&text.get(about))) }
                    pre tabindex="0" role="group" translate="no" aria-label=(call) { code { (line.replace("{host}", origin)) } }
                }
            }
            h2 #positions { (text.get("api-positions")) }
            p { (emphasised(&text.get("api-positions-begin"))) }
            @for game in games {
                h3 { (text.get(game.title)) }
                dl {
                    @for (field, about) in game.fields {
                        dt { code { (field) } }
                        dd { (emphasised(&text.get(about))) }
                    }
                }
            }
            h2 #events { (text.get("api-stream")) }
            p { (emphasised(&text.get("api-stream-begin"))) }
            dl {
                @for (event, about) in EVENTS {
                    dt { code { (event) } }
                    dd { (emphasised(&text.get(about))) }
                }
            }
            div.call { pre tabindex="0" role="group" aria-label=(text.get("api-stream")) { code { (STREAM) } } }
            p { (text.get("api-once")) }
            p { (text.get("api-sites")) }
            p { (emphasised(&text.get("api-engine"))) }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}
