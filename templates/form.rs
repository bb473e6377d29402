//! The form that sets up a game.

use maud::{Markup, html};

use super::levels::{about_levels, level_options};
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

/// The folded form: the fields of both games are sent, and the chosen game decides which of them count.
pub(super) fn form(text: &Text, view: &FormView) -> Markup {
    let chips = view.game == "trilobite";
    html! {
        details.custom open[view.open || view.problem.is_some()] {
            summary { (text.say("start-setup")) }
            form.form method="post" action="/games" novalidate {
                @if let Some(problem) = view.problem { p.notice role="alert" { (text.say(problem_key(problem))) } }
                fieldset.pick {
                    legend { (text.say("form-game")) }
                    @for (value, name, chosen) in [("dice", "form-dice", !chips), ("trilobite", "form-trilobite", chips)] {
                        label { input type="radio" name="game" value=(value) checked[chosen]; (text.say(name)) }
                    }
                }
                (dice(text, view))
                (trilobite(text, view))
                (table(text, view))
                button.btn { (text.say("form-start")) }
            }
        }
    }
}

fn dice(text: &Text, view: &FormView) -> Markup {
    html! {
        fieldset.of.of-dice {
            legend { (text.say("form-dice")) }
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
                p.hint.empty { (text.say("form-seats-hint")) }
                @for player in 0..6 { (seat(text, "seats", player, &view.seats, &view.levels)) }
                (about_levels(text, "dice", &view.levels))
            }
            label { (text.say("form-seed"))
                input name="seed" inputmode="numeric" autocomplete="off" maxlength="20" value=(view.seed) aria-describedby="seed-hint";
            }
            p.hint #seed-hint { (text.say("form-seed-hint")) }
        }
    }
}

/// The fields that every game has: who sees it, and how long it waits.
fn table(text: &Text, view: &FormView) -> Markup {
    html! {
        fieldset.table {
            label { (text.say("form-name"))
                input name="name" value=(view.name) autocomplete="nickname" maxlength="64";
            }
            label { (text.say("form-replace"))
                select name="replace_after" {
                    option value="" selected[view.replace_after_s.is_none()] { (text.say("form-replace-never")) }
                    @for after_s in replacements(view.replace_after_s) {
                        option value=(after_s) selected[view.replace_after_s == Some(after_s)] { (duration(text, after_s)) }
                    }
                }
            }
            label.check { input type="checkbox" name="private" value="1" checked[view.private]; (text.say("form-private")) }
        }
    }
}

/// The waits that are offered, and the chosen one if it is none of them.
fn replacements(chosen: Option<u32>) -> Vec<u32> {
    let mut all = vec![60, 300, 3_600, 86_400];
    all.extend(chosen.filter(|chosen| !all.contains(chosen)));
    all.sort_unstable();
    all
}

fn duration(text: &Text, seconds: u32) -> String {
    let (key, unit) = match seconds {
        0 => ("form-replace-seconds", 1),
        _ if seconds.is_multiple_of(86_400) => ("form-replace-days", 86_400),
        _ if seconds.is_multiple_of(3_600) => ("form-replace-hours", 3_600),
        _ if seconds.is_multiple_of(60) => ("form-replace-minutes", 60),
        _ => ("form-replace-seconds", 1),
    };
    text.say_with(key, &[("n", (seconds / unit).into())])
        .into_owned()
}

fn trilobite(text: &Text, view: &FormView) -> Markup {
    let levels = if view.chip_levels.is_empty() {
        &view.levels
    } else {
        &view.chip_levels
    };
    let sizes = [
        ("width", "form-width", view.width, "8"),
        ("height", "form-height", view.height, "7"),
        ("win", "form-win", view.win, "4"),
    ];
    html! {
        fieldset.of.of-trilobite {
            legend { (text.say("form-trilobite")) }
            p.hint { (text.say("form-trilobite-about")) }
            div.three {
                @for (name, label, value, usual) in sizes {
                    label { (text.say(label))
                        input type="number" name=(name) min="1" max="127" inputmode="numeric" autocomplete="off" placeholder=(usual) value=[value];
                    }
                }
            }
            fieldset {
                legend { (text.say("form-seats")) }
                @for player in 0..2 { (seat(text, "chips", player, &view.chips, levels)) }
                (about_levels(text, "trilobite", levels))
            }
        }
    }
}

/// The choice of who sits in the seat of a player.
fn seat(text: &Text, name: &str, player: u8, seats: &[String], levels: &[String]) -> Markup {
    let number = usize::from(player);
    let chosen = seats.get(number).map_or("", String::as_str);
    let colour = text.say(SEATS[number % SEATS.len()]);
    html! {
        label class={ "seat p" (player) } {
            (glyph_icon(player)) span { (colour) }
            select name=(name) aria-label=(text.say_with("form-seat", &[("who", (&*colour).into())])) {
                option value="human" selected[chosen == "human"] { (text.say("level-human")) }
                option value="open" selected[chosen == "open"] { (text.say("form-open")) }
                (level_options(text, levels, chosen))
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
        FormProblem::NameTooLong => "form-problem-name-long",
        FormProblem::NameInvisible => "form-problem-name-invisible",
        FormProblem::NoDeal => "form-problem-deal",
    }
}
