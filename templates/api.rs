//! The programming interface for people: each call, what it does, and a line to paste.

use maud::{Markup, html};

use super::page::{Refresh, Site, emphasised, page, sheet, titled};
use super::text::Text;

const CALLS: [(&str, &str, &str); 10] = [
    (
        "POST /api/v1/games",
        "api-create",
        r#"curl -d '{"game":"dice","seats":["human","book","book","book"]}' -H 'Content-Type: application/json' http://localhost:8080/api/v1/games"#,
    ),
    (
        "GET /api/v1/games/{id}",
        "api-state",
        "curl 'http://localhost:8080/api/v1/games/ID?wait=1'",
    ),
    (
        "GET /api/v1/games/{id}/moves",
        "api-moves",
        "curl http://localhost:8080/api/v1/games/ID/moves",
    ),
    (
        "POST /api/v1/games/{id}/moves",
        "api-play",
        r#"curl -d '{"ply":0,"path":[12,13]}' -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' http://localhost:8080/api/v1/games/ID/moves"#,
    ),
    (
        "POST /api/v1/games/{id}/entropy",
        "api-entropy",
        r#"curl -d '{"ply":4,"entropy":"3 5 2 6"}' -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' http://localhost:8080/api/v1/games/ID/entropy"#,
    ),
    (
        "POST /api/v1/games/{id}/undo",
        "api-undo",
        r#"curl -d '{"ply":4}' -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' http://localhost:8080/api/v1/games/ID/undo"#,
    ),
    (
        "POST /api/v1/games/{id}/resign",
        "api-resign",
        "curl -X POST -H 'Authorization: Bearer TOKEN' http://localhost:8080/api/v1/games/ID/resign",
    ),
    (
        "POST /api/v1/games/{id}/join",
        "api-join",
        r#"curl -d '{"invite":"INVITE","name":null}' -H 'Content-Type: application/json' http://localhost:8080/api/v1/games/ID/join"#,
    ),
    (
        "GET /api/v1/games/{id}/record",
        "api-record",
        "curl http://localhost:8080/api/v1/games/ID/record",
    ),
    (
        "GET /api/v1/games/{id}/events",
        "api-events",
        "curl -N http://localhost:8080/api/v1/games/ID/events",
    ),
];

/// An example of a stream as it arrives.
const STREAM: &str = r#"retry: 1873

event: watchers
data: {"count":2}

event: ply
id: 17
data: {"ply":17,"player":0,"path":[12,13],"roll":{"attack":[6,4],"defend":[3]},"at":1764583200000,"captured":true,"reinforced":[],"over":false}

event: ply
id: 18
data: {"ply":18,"player":0,"path":null,"roll":null,"at":1764583203000,"captured":null,"reinforced":[[4,1],[9,1]],"over":false}

event: seats
data: {"revision":1}

event: over
data: {"ending":"rules"}

event: bye
retry: 2210
data: {}
"#;

/// The events and what each of them means.
const EVENTS: [(&str, &str); 5] = [
    ("ply", "api-event-ply"),
    ("watchers", "api-event-watchers"),
    ("seats", "api-event-seats"),
    ("over", "api-event-over"),
    ("bye", "api-event-bye"),
];

/// The page `/api`.
#[must_use]
pub fn api_page(site: &Site<'_>, text: &Text) -> Markup {
    let title = text.say("api-title");
    let main = html! {
        main #main.page {
            (sheet(site, "reading.css"))
            h1 { (title) }
            p.lead { (text.say("api-lead")) }
            p { a href="/openapi.json" { (text.say("api-openapi")) } }
            h2 { (text.say("api-calls")) }
            @for (call, about, line) in CALLS {
                section.call {
                    h3 { code { (call) } }
                    p { (emphasised(&text.say(about))) }
                    pre tabindex="0" role="group" translate="no" aria-label=(call) { code { (line) } }
                }
            }
            h2 #events { (text.say("api-stream")) }
            p { (emphasised(&text.say("api-stream-begin"))) }
            dl {
                @for (event, about) in EVENTS {
                    dt { code { (event) } }
                    dd { (emphasised(&text.say(about))) }
                }
            }
            div.call { pre tabindex="0" role="group" aria-label=(text.say("api-stream")) { code { (STREAM) } } }
            p { (text.say("api-once")) }
            p { (emphasised(&text.say("api-engine"))) }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}
