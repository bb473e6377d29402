//! Playback controls for other players' plies: skip to the viewer's turn, pause, speed. A script shows them
//! in the prompt while it plays such plies one after another.

use maud::{Markup, html};

use super::controls::key_name;
use super::game::GameView;
use super::localization::Translations;
use super::players::OccupantView;
use super::preferences::{DisplayOptions, Fights};

/// The speeds, slowest first: the value of the setting and the message key of its button.
const SPEEDS: [(&str, &str); 3] = [
    ("slow", "tempo-slow"),
    ("normal", "tempo-normal"),
    ("fast", "tempo-fast"),
];

/// The controls, with the messages for the script in `data-` attributes; the script replaces the placeholders
/// `#n`, `#m` and `#s` by numbers.
pub(super) fn playback_controls(
    text: &Translations,
    display: &DisplayOptions,
    view: &GameView,
) -> Markup {
    let with_counts = |key| text.get_with(key, &[("n", "#n".into()), ("m", "#m".into())]);
    let countdown = text.get_with("tempo-soon", &[("s", "#s".into())]);
    let skip_key = if is_seated(view) {
        "tempo-to-turn"
    } else {
        "tempo-to-newest"
    };
    let skip_shortcut = view.board.command_key('n');
    html! {
        div.tempo hidden data-shift[view.board.is_key('n')] data-attack-of=(with_counts("tempo-attack-of")) data-attack=(with_counts("tempo-attack"))
            data-end=(text.get("tempo-end")) data-soon=(countdown) data-rolling=(with_counts("tempo-rolling"))
            data-paused=(text.get("tempo-paused")) data-going=(text.get("tempo-going")) {
            button.btn.now { span { (text.get(skip_key)) } " " kbd aria-hidden="true" { (key_name(&skip_shortcut)) } }
            div.tbar {
                button.pause aria-pressed="false" aria-label=(text.get("tempo-pause")) {
                    svg.ico aria-hidden="true" { use.p href="#i-pause" {} use.g href="#i-go" {} }
                }
                div.speeds role="group" aria-label=(text.get("set-speed")) {
                    (speeds(text, display))
                }
                @if is_seated(view) {
                    button.fights aria-pressed=(if display.preferences.fights == Fights::Mine { "true" } else { "false" }) { (text.get("set-fights-mine")) }
                }
            }
        }
    }
}

/// A button for each speed, with the same captions and titles wherever plies are played back.
pub(super) fn speeds(text: &Translations, display: &DisplayOptions) -> Markup {
    let chosen = speed_of(display);
    html! {
        @for (value, key) in SPEEDS {
            button data-speed=(value) aria-pressed=(if chosen == value { "true" } else { "false" })
                title=(text.get(&format!("set-speed-{value}"))) { (text.get(key)) }
        }
    }
}

/// The speed that the viewer chose.
fn speed_of(display: &DisplayOptions) -> &'static str {
    let mut choices = display.preferences.choices().into_iter();
    let speed = choices.find(|choice| choice.name == "speed");
    speed.map_or("", |choice| choice.value)
}

/// Whether the viewer has a seat.
fn is_seated(view: &GameView) -> bool {
    let mut players = view.players.iter();
    players.any(|player| matches!(player.occupant, OccupantView::You | OccupantView::YouToo))
}

/// The players whose seats the viewer has, separated by spaces: the script shows plies that concern them in
/// full.
pub(super) fn reader_seats(view: &GameView) -> String {
    let players = view.players.iter();
    let own = players
        .filter(|player| matches!(player.occupant, OccupantView::You | OccupantView::YouToo));
    let numbers: Vec<_> = own.map(|player| player.number.to_string()).collect();
    numbers.join(" ")
}
