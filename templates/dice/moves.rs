//! The buttons of Dice of Doom: attack, end the turn.

use maud::{Markup, html};

use crate::templates::buttons::{OnTable, Table};
use crate::templates::page::percent;
use crate::templates::said::Said;

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
    fn form(&self, table: &Table<'_>, button: &Markup) -> Markup {
        let [from, to] = [self.from, self.to].map(|hex| hex.to_string());
        table.form(&[("from", &from), ("to", &to)], None, button)
    }
}

/// The attack that is left to confirm, in the corner with the way on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Confirm(pub AttackView);

impl OnTable for Confirm {
    fn draw(&self, table: &Table<'_>) -> Markup {
        let button = html! {
            button.btn.main autofocus {
                span { (table.text.say("attack")) }
                @if let Some(odds) = table.look.odds(self.0.odds) { span.pill { (percent(odds)) " %" } }
            }
        };
        html! { div.acts { (self.0.form(table, &button)) } }
    }
}

/// The button that ends the turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassView {
    /// Dice that come.
    pub dice: u32,
    /// The cluster they come from; `None` under the rules that pay for captured dice (v1–v3).
    pub cluster: Option<u32>,
}

impl OnTable for PassView {
    fn draw(&self, table: &Table<'_>) -> Markup {
        let text = table.text;
        let button = html! {
            button.btn.main {
                span { (text.say("end-turn")) }
                span.pill { (text.say_with("end-turn-dice", &[("dice", self.dice.into())])) }
            }
        };
        html! {
            div.acts {
                (table.form(&[("pass", "1")], Some("e"), &button))
                p.why {
                    @match self.cluster {
                        Some(cluster) => { (text.say_with("end-turn-cluster", &[("cluster", cluster.into())])) }
                        None => { (text.say("end-turn-captured")) }
                    }
                }
            }
        }
    }
}

/// One button for each target of the chosen source.
#[derive(Clone, PartialEq, Debug)]
pub struct Attacks {
    /// The source.
    pub from: u8,
    /// The attacks, in the order of their buttons.
    pub attacks: Vec<AttackView>,
}

impl OnTable for Attacks {
    fn draw(&self, table: &Table<'_>) -> Markup {
        let title = table.told(&Said::new("attack-buttons").with("from", self.from));
        html! {
            section.attacks aria-label=(title) {
                h2 { (title) }
                @for attack in &self.attacks { (attack.form(table, &html! { button.btn data-marks={ "h" (attack.from) " h" (attack.to) } { (label(table, attack)) } })) }
            }
        }
    }
}

fn label(table: &Table<'_>, attack: &AttackView) -> String {
    let from = ("from", attack.from.into());
    let to = ("to", attack.to.into());
    let label = match table.look.odds(attack.odds) {
        Some(odds) => {
            let odds = ("odds", percent(odds).into());
            table.text.say_with("attack-button-odds", &[from, to, odds])
        }
        None => table.text.say_with("attack-button", &[from, to]),
    };
    label.into_owned()
}
