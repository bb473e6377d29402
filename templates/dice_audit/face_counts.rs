//! Face counts compared with the expectation for fair dice.

use maud::{Markup, html};

use crate::localization::Translations;
use crate::svg_symbols::pip_positions;

/// How often each face was rolled.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FaceCountsView {
    /// Counts of the faces 1 to 6.
    pub counts: [u64; 6],
    /// p-value: the probability that fair dice deviate at least as much, 0..=1.
    pub p_value: f64,
}

impl FaceCountsView {
    /// Total number of dice.
    #[must_use]
    pub fn dice(&self) -> u64 {
        self.counts.iter().sum()
    }
}

pub(super) fn panel(text: &Translations, view: &FaceCountsView) -> Markup {
    let dice = u32::try_from(view.dice()).unwrap_or(u32::MAX);
    html! {
        @if dice > 0 {
            section.panel.counted {
                header {
                    h2 { (text.get_with("fair-dice", &[("dice", dice.into())])) }
                    a href=(text.path("/fair-dice")) { (text.get("fair-all-games")) }
                }
                (histogram(text, view))
                p.note { (deviation_text(text, view.p_value)) }
            }
        }
    }
}

fn deviation_text(text: &Translations, p_value: f64) -> String {
    let of_100 = (p_value * 100.0).round().clamp(0.0, 100.0) as u32;
    match of_100 {
        0 => text.get("fair-off-hardly").into_owned(),
        n => text.get_with("fair-off", &[("n", n.into())]).into_owned(),
    }
}

/// A bar chart with the expectation as a line, and the same as a table for screen readers.
pub(crate) fn histogram(text: &Translations, view: &FaceCountsView) -> Markup {
    const HIGH: f64 = 68.0;
    const FOOT: f64 = 74.0;
    let expected = view.dice() as f64 / 6.0;
    let max_count = view.counts.iter().copied().max().unwrap_or(0) as f64;
    let scale = HIGH / max_count.max(expected * 1.2).max(1.0);
    let line = FOOT - expected * scale;
    html! {
        svg.hist viewBox="0 0 392 104" aria-hidden="true" {
            @for (index, count) in view.counts.iter().enumerate() {
                @let (x, high) = (6 + 52 * index, *count as f64 * scale);
                rect.b x=(x) y={ (format!("{:.1}", FOOT - high)) } width="38" height={ (format!("{high:.1}")) } rx="3" {}
                text class={ "v" @if high < 18.0 { " out" } } x=(x + 19) y={ (format!("{:.0}", if high < 18.0 { FOOT - high - 4.0 } else { 68.0 })) } { (text.language().format_integer(*count)) }
                g transform={ "translate(" (x + 9) " 80)" } {
                    rect.pipf width="20" height="20" rx="5" {}
                    g.pd transform="scale(20)" { @for (x, y) in pip_positions(index as u8 + 1) { circle cx=(f32::from(*x) / 4.0) cy=(f32::from(*y) / 4.0) r="0.1" {} } }
                }
            }
            path.e d={ "M0 " (format!("{line:.1}")) "H318" } {}
            text x="356" y={ (format!("{:.1}", line - 2.0)) } { (text.language().format_tenths(expected)) }
            text x="356" y={ (format!("{:.1}", line + 12.0)) } { (text.get("fair-expected")) }
        }
        table.vh {
            tr { th scope="col" { (text.get("fair-face")) } th scope="col" { (text.get("fair-times")) } }
            @for (index, count) in view.counts.iter().enumerate() { tr { th scope="row" { (index + 1) } td { (text.language().format_integer(*count)) } } }
        }
    }
}
