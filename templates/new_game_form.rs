//! The new-game form.

use std::sync::Arc;

use maud::{Markup, html};

use super::clock::turn_select;
use super::levels::level_options;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::Component;
use super::players::PlayerNames;
use super::preferences::DisplayOptions;
use super::svg_symbols::glyph_icon;

/// The new-game form. Its fields are `game`, `name`, `listed`, `private`, `strict`, `hints`, `turn` and
/// `replace_after` (seconds), and those of every game type, which are all sent.
#[derive(Clone, Debug, Default)]
pub struct NewGameFormView {
    /// The selected game.
    pub game: &'static str,
    /// The part of each game type.
    pub parts: Vec<GameFormView>,
    /// Why the input was rejected.
    pub problem: Option<LocalizedMessage>,
    /// The viewer's name.
    pub name: String,
    /// Seconds for a turn; `None` without a clock.
    pub turn_s: Option<u32>,
    /// Whether the game is listed among the open tables.
    pub listed: bool,
    /// Whether only players can see the game.
    pub private: bool,
    /// Whether takebacks are disabled.
    pub strict: bool,
    /// Whether all players can get hints.
    pub hints: bool,
    /// Inactivity in seconds after which a computer player may replace a person.
    pub replace_after_s: Option<u32>,
}

/// The part of the form for one game type.
#[derive(Clone, Debug)]
pub struct GameFormView {
    /// The internal name of the game.
    pub game: &'static str,
    /// Message key of the game's displayed name.
    pub title: &'static str,
    /// Its fields.
    pub fields: Arc<dyn Component>,
}

const SEATS: [&str; 6] = [
    "player-0", "player-1", "player-2", "player-3", "player-4", "player-5",
];

/// The form: the fields of all games are sent, and the selected game determines which are used.
pub(super) fn form(
    text: &Translations,
    display: &DisplayOptions,
    view: &NewGameFormView,
) -> Markup {
    html! {
        form.form #setup method="post" action=(text.path("/games")) novalidate {
            @if let Some(problem) = &view.problem { p.notice role="alert" tabindex="-1" autofocus { (problem.render(text, &PlayerNames::none(text))) } }
            fieldset.pick {
                legend { (text.get("form-game")) }
                @for part in &view.parts {
                    label { input type="radio" name="game" value=(part.game) checked[part.game == view.game]; (text.get(part.title)) }
                }
            }
            @for part in &view.parts { (part.fields.draw(text, display)) }
            (table(text, view))
            button.btn.main { (text.get("form-start")) }
        }
    }
}

/// The fields that are common to all games.
fn table(text: &Translations, view: &NewGameFormView) -> Markup {
    html! {
        fieldset.table {
            legend { (text.get("form-table")) }
            label { (text.get("form-name"))
                input type="text" name="name" value=(view.name) autocomplete="nickname" maxlength="64";
            }
            (turn_select(text, view.turn_s))
            label { (text.get("form-replace"))
                select name="replace_after" {
                    option value="" selected[view.replace_after_s.is_none()] { (text.get("form-replace-never")) }
                    @for after_s in replacement_delays(view.replace_after_s) {
                        option value=(after_s) selected[view.replace_after_s == Some(after_s)] { (duration(text, after_s)) }
                    }
                }
            }
            label.check { input type="checkbox" name="listed" value="1" checked[view.listed]; (text.get("form-listed")) }
            label.check { input type="checkbox" name="private" value="1" checked[view.private]; (text.get("form-private")) }
            label.check { input type="checkbox" name="strict" value="1" checked[view.strict]; (text.get("form-strict")) }
            label.check { input type="checkbox" name="hints" value="1" checked[view.hints]; (text.get("form-hints")) }
        }
    }
}

fn replacement_delays(chosen: Option<u32>) -> Vec<u32> {
    let mut durations = vec![60, 300, 3_600, 86_400];
    durations.extend(chosen.filter(|chosen| !durations.contains(chosen)));
    durations.sort_unstable();
    durations
}

fn duration(text: &Translations, seconds: u32) -> String {
    let (key, unit) = match seconds {
        0 => ("form-replace-seconds", 1),
        _ if seconds.is_multiple_of(86_400) => ("form-replace-days", 86_400),
        _ if seconds.is_multiple_of(3_600) => ("form-replace-hours", 3_600),
        _ if seconds.is_multiple_of(60) => ("form-replace-minutes", 60),
        _ => ("form-replace-seconds", 1),
    };
    text.get_with(key, &[("n", (seconds / unit).into())])
        .into_owned()
}

/// The select for the occupant of a player's seat.
pub(super) fn seat(
    text: &Translations,
    name: &str,
    player: u8,
    seats: &[String],
    levels: &[String],
) -> Markup {
    let number = usize::from(player);
    let chosen = seats.get(number).map_or("", String::as_str);
    let colour = text.get(SEATS[number % SEATS.len()]);
    html! {
        label class={ "seat p" (player) } {
            (glyph_icon(player)) span { (colour) }
            select name=(name) aria-label=(text.get_with("form-seat", &[("who", (&*colour).into())])) {
                option value="human" selected[chosen == "human"] { (text.get("level-human")) }
                option value="open" selected[chosen == "open"] { (text.get("form-open")) }
                (level_options(text, levels, chosen))
            }
        }
    }
}
