//! The form that sets up a game.

use maud::{Markup, html};

use super::players::level_name;
use super::symbols::glyph_icon;
use super::text::Text;
use super::view::{FormProblem, FormView};

const RULES: [(&str, &str, &str); 5] = [
    ("v4", "form-rules-v4", "form-about-v4"),
    ("conquest", "form-rules-conquest", "form-about-conquest"),
    ("v3", "form-rules-v3", "form-about-v3"),
    ("v2", "form-rules-v2", "form-about-v2"),
    ("v1", "form-rules-v1", "form-about-v1"),
];

const SEATS: [&str; 6] = [
    "player-0", "player-1", "player-2", "player-3", "player-4", "player-5",
];

/// The presets and what they mean, in a list of terms.
pub(super) fn presets(text: &Text) -> Markup {
    html! { dl.presets { @for (_, name, about) in RULES { dt { (text.say(name)) } dd { (text.say(about)) } } } }
}

/// The folded form.
pub(super) fn form(text: &Text, view: &FormView) -> Markup {
    html! {
        details.custom open[view.open || view.problem.is_some()] {
            summary { (text.say("start-setup")) }
            form.form method="post" action="/games" {
                @if let Some(problem) = view.problem { p.notice role="alert" { (text.say(problem_key(problem))) } }
                input type="hidden" name="game" value="dice";
                label { (text.say("form-rules"))
                    select name="rules" {
                        @for (value, name, _) in RULES { option value=(value) selected[view.rules == value] { (text.say(name)) } }
                    }
                }
                details.about { summary { (text.say("form-about")) } (presets(text)) }
                div.three {
                    (number(text, "size", "form-size", 2..=8, view.size))
                    (number(text, "players", "form-players", 2..=6, view.players))
                    (number(text, "max_dice", "form-max-dice", 2..=8, view.max_dice))
                }
                fieldset {
                    legend { (text.say("form-seats")) }
                    p.hint { (text.say("form-seats-hint")) }
                    @for (number, colour) in (0u8..).zip(SEATS) {
                        @let chosen = view.seats.get(usize::from(number)).map_or("", String::as_str);
                        label class={ "seat p" (number) } {
                            (glyph_icon(number)) span { (text.say(colour)) }
                            select name="seats" aria-label=(text.say_with("form-seat", &[("who", (&*text.say(colour)).into())])) {
                                option value="human" selected[chosen == "human"] { (text.say("level-human")) }
                                @for level in &view.levels { option value=(level) selected[chosen == level] { (level_name(text, level)) } }
                            }
                        }
                    }
                }
                label { (text.say("form-seed"))
                    input name="seed" inputmode="numeric" autocomplete="off" maxlength="20" value=(view.seed) aria-describedby="seed-hint";
                }
                p.hint #seed-hint { (text.say("form-seed-hint")) }
                button.btn { (text.say("form-start")) }
            }
        }
    }
}

fn number(
    text: &Text,
    name: &str,
    label: &str,
    range: std::ops::RangeInclusive<u8>,
    chosen: Option<u8>,
) -> Markup {
    html! {
        label { (text.say(label))
            select name=(name) {
                option value="" selected[chosen.is_none()] { (text.say("form-as-rules")) }
                @for n in range {
                    option value=(n) selected[chosen == Some(n)] {
                        @if name == "size" { (text.say_with("form-size-n", &[("n", n.into())])) } @else { (n) }
                    }
                }
            }
        }
    }
}

fn problem_key(problem: FormProblem) -> &'static str {
    match problem {
        FormProblem::OutOfRange => "form-problem-range",
        FormProblem::TooManyPlayers => "form-problem-players",
        FormProblem::UnknownChoice => "form-problem-choice",
        FormProblem::WinTooLong => "form-problem-win",
        FormProblem::BoardTooLarge => "form-problem-board",
        FormProblem::NoDeal => "form-problem-deal",
    }
}
