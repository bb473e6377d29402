//! The course of a finished game: hexes and dice of the players over time, the rolls that turned the game,
//! and the luck of the players.

use maud::{Markup, html};

use crate::controls::{TableComponent, TableContext};
use crate::line_chart::{self, ChartMarker, ChartSeries, ChartTurn, ChartUnit};
use crate::localization::Translations;
use crate::message::{LocalizedMessage, MessageArg};
use crate::page::emphasised;
use crate::players::named_player;

/// View of the course of a finished game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameHistoryView {
    /// The hexes of each player, at the start and after every turn.
    pub hexes: Vec<ChartSeries>,
    /// The dice of each player, likewise.
    pub dice: Vec<ChartSeries>,
    /// The turns.
    pub turns: Vec<ChartTurn>,
    /// The most surprising rolls, in order of play; empty if no dice were rolled.
    pub swings: Vec<SwingView>,
    /// The luck of each player; empty if no dice were rolled.
    pub luck: Vec<LuckView>,
}

/// A surprising roll.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SwingView {
    /// Ply number of the position after it.
    pub ply: u32,
    /// Its turn among all turns, counted from 1.
    pub turn: u32,
    /// Its turn among those of the attacker, counted from 1.
    pub own_turn: u32,
    /// The attacking player.
    pub attacker: u8,
    /// The defending player.
    pub defender: u8,
    /// Dice of the attacker and of the defender.
    pub dice: (u8, u8),
    /// Whether the hex was captured.
    pub captured: bool,
    /// Probability of this result, 0..=1.
    pub probability: f64,
}

/// A player's luck in the own attacks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LuckView {
    /// The attacking player.
    pub player: u8,
    /// Number of attacks.
    pub rolls: u32,
    /// Number of attacks won.
    pub won: u32,
    /// Expected number of attacks won: the sum of the odds.
    pub expected: f64,
}

impl LuckView {
    /// Attacks won minus the expected number.
    #[must_use]
    pub fn luck(&self) -> f64 {
        f64::from(self.won) - self.expected
    }
}

impl TableComponent for GameHistoryView {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        html! {
            div.course.alone[self.swings.is_empty() && self.luck.is_empty()] {
                (charts(self, table))
                @if !self.swings.is_empty() { (largest_surprises(&self.swings, table)) }
                @if !self.luck.is_empty() { (luck_table(&self.luck, table)) }
            }
        }
    }
}

/// Two charts; a switch selects one of them, and without a style sheet both are shown.
fn charts(course: &GameHistoryView, table: &TableContext<'_>) -> Markup {
    let (text, names) = (table.text, table.names);
    let pins = course
        .swings
        .iter()
        .zip((b'1'..).map(char::from))
        .map(|(swing, label)| ChartMarker {
            label,
            player: swing.attacker,
            turn: swing.turn,
        });
    let pins: Vec<_> = pins.collect();
    let choice = |value: &str, key: &'static str, checked: bool| {
        html! { label { input type="radio" name="held" value=(value) checked[checked]; span { (text.get(key)) } } }
    };
    html! {
        section.panel.held aria-labelledby="held" {
            header {
                h2 #held { (text.get("course-held")) }
                fieldset.seg {
                    legend.vh { (text.get("course-held")) }
                    (choice("hexes", "course-hexes", true))
                    (choice("dice", "course-dice", false))
                }
            }
            @for (class, lines, pins, label) in [
                ("of-hexes", &course.hexes, &pins[..], "course-hexes-label"),
                ("of-dice", &course.dice, &pins[..], "course-dice-label"),
            ] {
                div class=(class) {
                    @let label = text.get(label);
                    (line_chart::graph(text, names, lines, pins, &label, ChartUnit::Count(&course.turns)))
                    (line_chart::as_table(text, names, lines, &course.turns, &label))
                }
            }
        }
    }
}

fn largest_surprises(swings: &[SwingView], table: &TableContext<'_>) -> Markup {
    let text = table.text;
    html! {
        section.panel.swings aria-labelledby="swings" {
            header { h2 #swings { (text.get("swings")) } small { (text.get("swings-about")) } }
            ol.worst {
                @for (swing, number) in swings.iter().zip(1..) {
                    li {
                        a href={ (text.path("/g/")) (table.id) "/" (swing.ply) } {
                            span.no { (number) }
                            span { (emphasised(&table.sentence(&swing_sentence(swing)))) }
                            small { (text.get_with("swing-turn", &[("turn", swing.own_turn.into())])) }
                        }
                    }
                }
            }
        }
    }
}

fn swing_sentence(swing: &SwingView) -> LocalizedMessage {
    let key = if swing.captured {
        "swing-won"
    } else {
        "swing-lost"
    };
    LocalizedMessage::new(key)
        .with_player(swing.attacker)
        .with_value("defender", MessageArg::Name(swing.defender))
        .with_value("theirs", MessageArg::Person(swing.defender))
        .with_value("attack", swing.dice.0)
        .with_value("defend", swing.dice.1)
        .with_value("odds", MessageArg::Percent(swing.probability))
}

/// Half the width of the `viewBox` of a bar.
const HALF: f64 = 70.0;
/// Length of the longest bar, which leaves a margin before the number.
const LONGEST: f64 = 60.0;

fn luck_table(luck: &[LuckView], table: &TableContext<'_>) -> Markup {
    let text = table.text;
    let own = luck
        .iter()
        .find(|one| table.names.grammatical_person(one.player) == "you");
    let max_luck = luck.iter().map(|one| one.luck().abs()).fold(1.0, f64::max);
    html! {
        section.panel.counted aria-labelledby="counted" {
            header {
                h2 #counted { (text.get("counted")) }
                @if let Some(own) = own { small { (table.sentence(&luck_sentence(own))) } }
            }
            div.scrolls tabindex="0" role="group" aria-labelledby="counted" {
                table.luck {
                    thead {
                        tr {
                            td {}
                            @for key in ["counted-rolls", "counted-won", "counted-odds", "counted-luck"] {
                                th scope="col" { (text.get(key)) }
                            }
                        }
                    }
                    tbody {
                        @for one in luck {
                            tr class={ "p" (one.player % 6) } {
                                th scope="row" { (named_player(table.names, one.player)) }
                                td { (one.rolls) }
                                td { (one.won) }
                                td { (text.language().format_tenths(one.expected)) }
                                td { (luck_bar(one.luck() / max_luck)) b { (signed(text, one.luck())) } }
                            }
                        }
                    }
                }
            }
            p.hint { (text.get("counted-about")) }
        }
    }
}

/// The viewer's luck, in whole rolls.
fn luck_sentence(own: &LuckView) -> LocalizedMessage {
    let rolls = own.luck().round().abs() as u32;
    match rolls {
        0 => LocalizedMessage::new("counted-even"),
        _ if own.luck() > 0.0 => LocalizedMessage::new("counted-gave").with_value("n", rolls),
        _ => LocalizedMessage::new("counted-took").with_value("n", rolls),
    }
}

/// A bar from the middle to the right for good luck, to the left for bad luck. The number next to it says the
/// same.
fn luck_bar(share: f64) -> Markup {
    let width = share.abs().min(1.0) * LONGEST;
    let x = if share < 0.0 { HALF - width } else { HALF };
    html! {
        svg.bar viewBox="0 0 140 18" aria-hidden="true" {
            path d="M70 0V18" {}
            @if width >= 0.5 {
                rect x=(format!("{x:.1}")) y="3" width=(format!("{width:.1}")) height="12" rx="3" {}
            }
        }
    }
}

/// A number of rolls with its sign; 0 has none.
fn signed(text: &Translations, rolls: f64) -> String {
    let size = text.language().format_tenths(rolls.abs());
    match size.as_str() {
        "0.0" | "0,0" => size,
        _ if rolls > 0.0 => format!("+{size}"),
        _ => format!("−{size}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn luck_is_shown_with_its_sign() {
        let signed_texts = |language| {
            let text = Translations::new(language, |_| [], None);
            [1.8, 0.04, -0.04, -1.36].map(|rolls| signed(&text, rolls))
        };
        assert_eq!(
            signed_texts(Language::English),
            ["+1.8", "0.0", "0.0", "−1.4"]
        );
        assert_eq!(
            signed_texts(Language::Russian),
            ["+1,8", "0,0", "0,0", "−1,4"]
        );
        let gave = |won, expected| {
            let luck = LuckView {
                player: 0,
                rolls: 9,
                won,
                expected,
            };
            luck_sentence(&luck).key
        };
        assert_eq!(gave(6, 4.2), "counted-gave");
        assert_eq!(gave(4, 4.4), "counted-even");
        assert_eq!(gave(2, 4.4), "counted-took");
    }
}
