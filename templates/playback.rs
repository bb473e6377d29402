//! How fast the plies of others are shown: skip to the reader's turn, pause, and speeds. Shown by the
//! script in the prompt while it plays them one after another.

use maud::{Markup, html};

use super::controls::key_name;
use super::game::GameView;
use super::localization::Translations;
use super::players::OccupantView;
use super::preferences::DisplayOptions;

/// The speeds, slowest first: the word of the setting and the sentence on its button.
const SPEEDS: [(&str, &str); 3] = [
    ("slow", "tempo-slow"),
    ("normal", "tempo-normal"),
    ("fast", "tempo-fast"),
];

/// The controls, with the sentences that the script tells meanwhile: `#n`, `#m` and `#s` stand for
/// numbers.
pub(super) fn tempo(text: &Translations, look: &DisplayOptions, view: &GameView) -> Markup {
    let counted = |key| text.say_with(key, &[("n", "#n".into()), ("m", "#m".into())]);
    let soon = text.say_with("tempo-soon", &[("s", "#s".into())]);
    let on = if is_seated(view) {
        "tempo-to-turn"
    } else {
        "tempo-to-newest"
    };
    let now = view.board.command_key('n');
    html! {
        div.tempo hidden data-shift[view.board.is_key('n')] data-attack-of=(counted("tempo-attack-of")) data-attack=(counted("tempo-attack"))
            data-end=(text.say("tempo-end")) data-soon=(soon) {
            button.btn.now { span { (text.say(on)) } " " kbd aria-hidden="true" { (key_name(&now)) } }
            div.tbar {
                button.pause aria-pressed="false" aria-label=(text.say("tempo-pause")) {
                    svg.ico aria-hidden="true" { use.p href="#i-pause" {} use.g href="#i-go" {} }
                }
                div.speeds role="group" aria-label=(text.say("set-speed")) {
                    (speeds(text, look))
                }
            }
        }
    }
}

/// A button for each speed, with the same names wherever plies are shown: what it says, and in words what
/// it is.
pub(super) fn speeds(text: &Translations, look: &DisplayOptions) -> Markup {
    let chosen = speed_of(look);
    html! {
        @for (word, key) in SPEEDS {
            button data-speed=(word) aria-pressed=(if chosen == word { "true" } else { "false" })
                title=(text.say(&format!("set-speed-{word}"))) { (text.say(key)) }
        }
    }
}

/// The word of the speed that the reader chose.
fn speed_of(look: &DisplayOptions) -> &'static str {
    let mut choices = look.settings.choices().into_iter();
    let speed = choices.find(|choice| choice.name == "speed");
    speed.map_or("", |choice| choice.word)
}

/// Whether the reader plays here.
fn is_seated(view: &GameView) -> bool {
    let mut players = view.players.iter();
    players.any(|player| matches!(player.who, OccupantView::You | OccupantView::YouToo))
}

/// The players whom the reader plays, for the script: what concerns them is shown in full.
pub(super) fn seated(view: &GameView) -> String {
    let players = view.players.iter();
    let mine =
        players.filter(|player| matches!(player.who, OccupantView::You | OccupantView::YouToo));
    let numbers: Vec<_> = mine.map(|player| player.number.to_string()).collect();
    numbers.join(" ")
}
