//! The buttons of Dice of Doom: attack, end the turn.

use maud::{Markup, html};

use crate::controls::{TableComponent, TableContext};
use crate::message::LocalizedMessage;
use crate::svg_symbols::glyph_icon;

/// One attack as a button.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttackView {
    /// The source.
    pub from: u8,
    /// The target.
    pub to: u8,
    /// Chance to capture, `None` where no dice are rolled.
    pub odds: Option<f64>,
}

impl AttackView {
    fn form(&self, table: &TableContext<'_>, button: &Markup) -> Markup {
        let [from, to] = [self.from, self.to].map(|hex| hex.to_string());
        table.form(&[("from", &from), ("to", &to)], None, button)
    }
}

/// The attack that is left to confirm, in the corner with the way on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttackConfirmation(pub AttackView);

impl TableComponent for AttackConfirmation {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let button = html! {
            button.btn.main autofocus {
                span { (table.text.say("attack")) }
                @if let Some(odds) = table.look.odds(self.0.odds) { span.pill { (table.text.say_with("odds", &[("odds", table.text.language().percent(odds).into())])) } }
            }
        };
        html! { div.acts { (self.0.form(table, &button)) } }
    }
}

/// The button that ends the turn: it says what that does.
#[derive(Clone, PartialEq, Debug)]
pub enum EndTurnView {
    /// The game goes on, and dice come.
    GoesOn(ReinforcementPreview),
    /// The game ends.
    Ends(GameEndPreview),
}

/// The dice that the end of a turn brings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReinforcementPreview {
    /// Dice that come.
    pub dice: u32,
    /// Dice that are due and find no room.
    pub lost: u32,
    /// The cluster they come from; `None` under the rules that pay for captured dice (v1–v3).
    pub cluster: Option<u32>,
    /// Nothing is left to attack.
    pub alone: bool,
}

/// The end of a game, told before it is brought about.
#[derive(Clone, PartialEq, Debug)]
pub struct GameEndPreview {
    /// Who wins; before the name between bars stands the glyph.
    pub outcome: LocalizedMessage,
    /// Whose glyph.
    pub mark: Option<u8>,
    /// Why the game ends, in sentences.
    pub why: Vec<LocalizedMessage>,
    /// How much the button asks to be pressed.
    pub weight: ButtonEmphasis,
    /// It is asked once more before.
    pub is_asked: bool,
    /// Nothing is left to attack.
    pub alone: bool,
}

/// How much a button asks to be pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ButtonEmphasis {
    /// The way on.
    Main,
    /// It may be pressed.
    Plain,
}

/// The key of everything that ends the turn.
const END: &str = "e";

impl TableComponent for EndTurnView {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        match self {
            EndTurnView::GoesOn(coming) => goes_on(table, *coming),
            EndTurnView::Ends(ends) => ends_the_game(table, ends),
        }
    }
}

fn goes_on(table: &TableContext<'_>, coming: ReinforcementPreview) -> Markup {
    let text = table.text;
    let dice = ("dice", coming.dice.into());
    let lost = ("lost", coming.lost.into());
    let came = text.say_with("end-turn-dice", std::slice::from_ref(&dice));
    let (second, pill) = match coming {
        ReinforcementPreview { alone: true, .. } => (Some(text.say("end-turn-alone")), None),
        ReinforcementPreview { lost: 0, .. } => (None, Some(came)),
        _ => (
            Some(text.say_with("end-turn-room", &[dice.clone(), lost.clone()])),
            None,
        ),
    };
    let why = match coming.cluster {
        Some(cluster) => {
            let key = if coming.alone {
                "end-turn-cluster-dice"
            } else {
                "end-turn-cluster"
            };
            text.say_with(key, &[("cluster", cluster.into()), dice, lost])
        }
        None if coming.alone => text.say_with("end-turn-captured-dice", &[dice, lost]),
        None => text.say("end-turn-captured"),
    };
    let button = html! {
        button.btn.main.two[second.is_some()] {
            span { (text.say("end-turn")) }
            @if let Some(second) = second { small { (second) } }
            @if let Some(pill) = pill { span.pill { (pill) } }
        }
    };
    html! {
        div.acts data-alone[coming.alone] {
            (table.form(&[("pass", "1")], Some(END), &button))
            p.why { (why) }
        }
    }
}

fn ends_the_game(table: &TableContext<'_>, ends: &GameEndPreview) -> Markup {
    let outcome = table.told(&ends.outcome);
    let words = html! {
        span { (table.text.say("end-game")) }
        small {
            @for (i, part) in outcome.split('|').enumerate() {
                @if let Some(mark) = ends.mark.filter(|_| i == 1) { (glyph_icon(mark)) }
                (part)
            }
        }
    };
    let plain = ends.weight == ButtonEmphasis::Plain;
    let wins = !plain;
    html! {
        div.acts data-alone[ends.alone && wins] {
            @if ends.is_asked { a #end.btn.main.two.stop[plain] href={ "/g/" (table.id) "?end=1" } data-key=(END) { (words) } }
            @else { (table.form(&[("pass", "1")], Some(END), &html! { button.btn.main.two.stop[plain] { (words) } })) }
            p.why { @for why in &ends.why { (table.told(why)) " " } }
        }
    }
}

/// The two answers to the question whether a game shall end that would not be won.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndGameConfirmation {
    /// The page on which the turn goes on.
    pub back: String,
}

impl TableComponent for EndGameConfirmation {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let text = table.text;
        // The way back stands where the button was that led here, so that pressing twice ends nothing.
        html! {
            div.acts.ask {
                a #end.btn.main data-back autofocus href=(self.back) {
                    span { (text.say("end-ask-keep")) } kbd aria-hidden="true" { "Esc" }
                }
                (table.form(&[("pass", "1")], None, &html! { button.btn { (text.say("end-game")) } }))
            }
        }
    }
}

/// One button for each target of the chosen source.
#[derive(Clone, PartialEq, Debug)]
pub struct AttackButtons {
    /// The source.
    pub from: u8,
    /// The attacks, in the order of their buttons.
    pub attacks: Vec<AttackView>,
}

impl TableComponent for AttackButtons {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let title = table.told(&LocalizedMessage::new("attack-buttons").with("from", self.from));
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
    let label = match table.look.odds(attack.odds) {
        Some(odds) => {
            let odds = ("odds", table.text.language().percent(odds).into());
            table.text.say_with("attack-button-odds", &[from, to, odds])
        }
        None => table.text.say_with("attack-button", &[from, to]),
    };
    label.into_owned()
}
