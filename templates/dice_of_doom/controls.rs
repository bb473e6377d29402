//! The buttons of Dice of Doom: attack, end the turn.

use maud::{Markup, html};

use crate::controls::{ButtonEmphasis, TableComponent, TableContext};
use crate::message::LocalizedMessage;
use crate::svg_symbols::glyph_icon;

/// An attack as a button.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttackView {
    /// The attacking hex.
    pub from: u8,
    /// The attacked hex.
    pub to: u8,
    /// Probability of capture; `None` if no dice are rolled.
    pub odds: Option<f64>,
}

impl AttackView {
    fn form(&self, table: &TableContext<'_>, button: &Markup) -> Markup {
        let [from, to] = [self.from, self.to].map(|hex| hex.to_string());
        table.form(&[("from", &from), ("to", &to)], None, button)
    }
}

/// Confirms the selected attack, as the primary action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttackConfirmation(pub AttackView);

impl TableComponent for AttackConfirmation {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let button = html! {
            button.btn.main autofocus {
                span { (table.text.get("attack")) }
                @if let Some(odds) = table.display.odds(self.0.odds) { span.pill { (table.text.get_with("odds", &[("odds", table.text.language().format_percent(odds).into())])) } }
            }
        };
        html! { div.acts { (self.0.form(table, &button)) } }
    }
}

/// The button that ends the turn, with a preview of what that does.
#[derive(Clone, PartialEq, Debug)]
pub enum EndTurnView {
    /// The game continues after reinforcement.
    GameContinues(ReinforcementPreview),
    /// The game ends.
    GameEnds(GameEndPreview),
}

/// Preview of the reinforcement at the end of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReinforcementPreview {
    /// Number of dice that are placed.
    pub dice: u32,
    /// Number of dice that are due but cannot be placed.
    pub lost: u32,
    /// Size of the cluster that earns them; `None` under the rules that pay for captured dice (v1–v3).
    pub cluster: Option<u32>,
    /// Whether ending the turn is the only legal action.
    pub no_attacks_left: bool,
}

/// Preview of the end of the game.
#[derive(Clone, PartialEq, Debug)]
pub struct GameEndPreview {
    /// The result; the part between bars is the winner's name, preceded by the glyph.
    pub outcome: LocalizedMessage,
    /// The player of the glyph.
    pub glyph: Option<u8>,
    /// Why the game ends.
    pub why: Vec<LocalizedMessage>,
    /// Emphasis of the button.
    pub emphasis: ButtonEmphasis,
    /// Whether a confirmation is required.
    pub needs_confirmation: bool,
    /// Whether ending the turn is the only legal action.
    pub no_attacks_left: bool,
}

/// Keyboard shortcut for ending the turn.
const END: &str = "e";

impl TableComponent for EndTurnView {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        match self {
            EndTurnView::GameContinues(reinforcement) => end_turn_form(table, *reinforcement),
            EndTurnView::GameEnds(ends) => end_game_form(table, ends),
        }
    }
}

fn end_turn_form(table: &TableContext<'_>, reinforcement: ReinforcementPreview) -> Markup {
    let text = table.text;
    let dice = ("dice", reinforcement.dice.into());
    let lost = ("lost", reinforcement.lost.into());
    let dice_text = text.get_with("end-turn-dice", std::slice::from_ref(&dice));
    let (second_line, pill) = match reinforcement {
        ReinforcementPreview {
            no_attacks_left: true,
            ..
        } => (Some(text.get("end-turn-alone")), None),
        ReinforcementPreview { lost: 0, .. } => (None, Some(dice_text)),
        _ => (
            Some(text.get_with("end-turn-room", &[dice.clone(), lost.clone()])),
            None,
        ),
    };
    let why = match reinforcement.cluster {
        Some(cluster) => {
            let key = if reinforcement.no_attacks_left {
                "end-turn-cluster-dice"
            } else {
                "end-turn-cluster"
            };
            text.get_with(key, &[("cluster", cluster.into()), dice, lost])
        }
        None if reinforcement.no_attacks_left => {
            text.get_with("end-turn-captured-dice", &[dice, lost])
        }
        None => text.get("end-turn-captured"),
    };
    let button = html! {
        button.btn.main.two[second_line.is_some()] {
            span { (text.get("end-turn")) }
            @if let Some(second_line) = second_line { small { (second_line) } }
            @if let Some(pill) = pill { span.pill { (pill) } }
        }
    };
    html! {
        div.acts data-alone[reinforcement.no_attacks_left] {
            (table.form(&[("pass", "1")], Some(END), &button))
            p.why { (why) }
        }
    }
}

fn end_game_form(table: &TableContext<'_>, ends: &GameEndPreview) -> Markup {
    let outcome = table.sentence(&ends.outcome);
    let caption = html! {
        span { (table.text.get("end-game")) }
        small {
            @for (i, part) in outcome.split('|').enumerate() {
                @if let Some(mark) = ends.glyph.filter(|_| i == 1) { (glyph_icon(mark)) }
                (part)
            }
        }
    };
    let is_secondary = ends.emphasis == ButtonEmphasis::Secondary;
    let is_primary = !is_secondary;
    html! {
        div.acts data-alone[ends.no_attacks_left && is_primary] {
            @if ends.needs_confirmation { a #end.btn.main.two.stop[is_secondary] href={ (table.text.path("/g/")) (table.id) "?end=1" } data-key=(END) { (caption) } }
            @else { (table.form(&[("pass", "1")], Some(END), &html! { button.btn.main.two.stop[is_secondary] { (caption) } })) }
            p.why { @for why in &ends.why { (table.sentence(why)) " " } }
        }
    }
}

/// The two answers when the player is about to end a game without winning it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndGameConfirmation {
    /// Address of the page on which the turn continues.
    pub back: String,
}

impl TableComponent for EndGameConfirmation {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let text = table.text;
        // The button that cancels replaces the one that led here, so that a double click does not end the
        // game.
        html! {
            div.acts.ask {
                a #end.btn.main data-back autofocus href=(table.text.path(&self.back)) {
                    span { (text.get("end-ask-keep")) } kbd aria-hidden="true" { "Esc" }
                }
                (table.form(&[("pass", "1")], None, &html! { button.btn { (text.get("end-game")) } }))
            }
        }
    }
}

/// A button for each target of the selected source.
#[derive(Clone, PartialEq, Debug)]
pub struct AttackButtons {
    /// The selected source.
    pub from: u8,
    /// The attacks, in the order of their buttons.
    pub attacks: Vec<AttackView>,
}

impl TableComponent for AttackButtons {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let title =
            table.sentence(&LocalizedMessage::new("attack-buttons").with_value("from", self.from));
        html! {
            section.attacks aria-label=(title) {
                h2 { (title) }
                @for attack in &self.attacks { (attack.form(table, &html! { button.btn data-marks={ "h" (attack.from) " h" (attack.to) } { (label(table, attack)) } })) }
            }
        }
    }
}

fn label(table: &TableContext<'_>, attack: &AttackView) -> String {
    let from = ("from", attack.from.into());
    let to = ("to", attack.to.into());
    let label = match table.display.odds(attack.odds) {
        Some(odds) => {
            let odds = ("odds", table.text.language().format_percent(odds).into());
            table.text.get_with("attack-button-odds", &[from, to, odds])
        }
        None => table.text.get_with("attack-button", &[from, to]),
    };
    label.into_owned()
}
