//! Two charts of a review: a waterfall of a player's win probability, and a histogram of dice faces. Each is
//! rendered in a wide and a narrow size; the style sheet shows one of them.

use std::borrow::Cow;

use maud::{Markup, html};

use super::{FaceHistogramView, WaterfallStep, signed};
use crate::board::ShortDecimal;
use crate::localization::Translations;
use crate::svg_symbols::pip_positions;

/// Size of a chart for one page width.
#[derive(Clone, Copy)]
struct ChartSize {
    class: &'static str,
    width: f64,
    /// Vertical offset of every second label, so that long labels do not overlap.
    step: f64,
}

const SIZES: [ChartSize; 2] = [
    ChartSize {
        class: "wide",
        width: 480.0,
        step: 0.0,
    },
    ChartSize {
        class: "tall",
        width: 346.0,
        step: 34.0,
    },
];

/// Height of the plot area, and the margins above and below it.
const HEIGHT: f64 = 100.0;
const ABOVE: f64 = 20.0;
const BELOW: f64 = 40.0;

/// From the win probability after the deal to that at the end: gains solid, losses hatched, every step with
/// its sign.
pub(super) fn waterfall(text: &Translations, steps: &[WaterfallStep]) -> Markup {
    let label = steps.iter().map(|step| {
        let label = step.label.replace('|', " ");
        Cow::from(format!("{label} {}", step_label(text, step)))
    });
    let label = text.join_with_commas(label);
    html! { @for size in SIZES { (waterfall_svg(text, steps, size, &label)) } }
}

fn step_label(text: &Translations, step: &WaterfallStep) -> String {
    if step.is_whole {
        let n = step.points.to_string();
        return text
            .get_with("review-percent", &[("n", n.into())])
            .into_owned();
    }
    signed(step.points)
}

fn waterfall_svg(
    text: &Translations,
    steps: &[WaterfallStep],
    size: ChartSize,
    label: &str,
) -> Markup {
    let mut sum = 0;
    let spans = steps.iter().map(|step| {
        let from = if step.is_whole { 0 } else { sum };
        sum = from + step.points;
        (from, sum)
    });
    let spans: Vec<(i32, i32)> = spans.collect();
    let ends = || spans.iter().flat_map(|&(from, to)| [from, to]);
    let (low, high) = (
        ends().min().unwrap_or(0).min(0),
        ends().max().unwrap_or(1).max(1),
    );
    let y = |points: i32| ABOVE + HEIGHT * f64::from(high - points) / f64::from(high - low);
    let pitch = size.width / steps.len().max(1) as f64;
    let bar = pitch * 0.65;
    let hatch = format!("hatch-{}", size.class);
    html! {
        svg class={ "wf " (size.class) } viewBox={ "0 0 " (size.width) " " (ABOVE + HEIGHT + BELOW + size.step) } role="img" aria-label=(label) {
            defs {
                pattern id=(hatch) width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" { path.hatchline d="M0 0V7" {} }
            }
            path.zero d={ "M0 " (ShortDecimal(y(0))) "H" (size.width) } {}
            @for (number, (step, (from, to))) in steps.iter().zip(&spans).enumerate() {
                @let left = pitch * number as f64 + (pitch - bar) / 2.0;
                @let middle = ShortDecimal(left + bar / 2.0);
                @let top = y(*from.max(to));
                @let height = (y(*from.min(to)) - top).max(1.5);
                @if step.is_whole { rect.tot x=(ShortDecimal(left)) y=(ShortDecimal(top)) width=(ShortDecimal(bar)) height=(ShortDecimal(height)) rx="2" {} }
                @else if step.points >= 0 { rect.up x=(ShortDecimal(left)) y=(ShortDecimal(top)) width=(ShortDecimal(bar)) height=(ShortDecimal(height)) rx="2" {} }
                @else {
                    rect.down-o x=(ShortDecimal(left)) y=(ShortDecimal(top)) width=(ShortDecimal(bar)) height=(ShortDecimal(height)) rx="2" {}
                    rect x=(ShortDecimal(left)) y=(ShortDecimal(top)) width=(ShortDecimal(bar)) height=(ShortDecimal(height)) rx="2" fill={ "url(#" (hatch) ")" } {}
                }
                @if number + 1 < steps.len() { path.cn d={ "M" (ShortDecimal(left + bar)) " " (ShortDecimal(y(*to))) "H" (ShortDecimal(left + pitch)) } {} }
                text.v x=(middle) y=(ShortDecimal(top - 5.0)) { (step_label(text, step)) }
                @let lower = if number % 2 == 1 { size.step } else { 0.0 };
                @for (line, line_text) in step.label.split('|').enumerate() {
                    text x=(middle) y=(ShortDecimal(ABOVE + HEIGHT + 17.0 + lower + 15.0 * line as f64)) { (line_text) }
                }
            }
        }
    }
}

/// Maximum height of a bar, the baseline of the bars, and the side of a die face.
const BAR: f64 = 56.0;
const FOOT: f64 = 74.0;
const FACE: f64 = 22.0;

/// How often each face was rolled, with the expected count as a dashed line.
pub(super) fn histogram(text: &Translations, rolls: &FaceHistogramView, expected: f64) -> Markup {
    let counts = rolls.faces.iter().zip(1_u32..).map(|(count, face)| {
        let values = [("face", face.into()), ("n", (*count).into())];
        text.get_with("review-face", &values)
    });
    let label = text.join_with_commas(counts);
    html! { @for size in SIZES { (bars(text, rolls, expected, size, &label)) } }
}

fn bars(
    text: &Translations,
    rolls: &FaceHistogramView,
    expected: f64,
    size: ChartSize,
    label: &str,
) -> Markup {
    let max_count = rolls.faces.iter().copied().max().unwrap_or(0);
    let top = f64::from(max_count).max(expected).max(1.0);
    let y = |count: f64| FOOT - BAR * count / top;
    let lines = size.width - 74.0;
    let pitch = lines / 6.0;
    let bar = pitch * 0.7;
    let each = text.get_with("review-each", &[("n", format!("{expected:.0}").into())]);
    html! {
        svg class={ "face-chart " (size.class) } viewBox={ "0 0 " (size.width) " 102" } role="img" aria-label=(label) {
            @for (number, (count, face)) in rolls.faces.iter().zip(1..).enumerate() {
                @let left = pitch * number as f64 + (pitch - bar) / 2.0;
                @let middle = left + bar / 2.0;
                @let height = y(0.0) - y(f64::from(*count));
                rect.b x=(ShortDecimal(left)) y=(ShortDecimal(FOOT - height)) width=(ShortDecimal(bar)) height=(ShortDecimal(height)) rx="3" {}
                // In a low bar the number does not fit.
                @if height > 18.0 { text.v x=(ShortDecimal(middle)) y=(ShortDecimal(FOOT - 6.0)) { (count) } }
                @else { text.o x=(ShortDecimal(middle)) y=(ShortDecimal(FOOT - height - 4.0)) { (count) } }
                g transform={ "translate(" (ShortDecimal(middle - FACE / 2.0)) " 78)" } {
                    rect.pipf width=(FACE) height=(FACE) rx="5" {}
                    @for (x, y) in pip_positions(face) { circle.pd cx=(ShortDecimal(f64::from(*x) * FACE / 4.0)) cy=(ShortDecimal(f64::from(*y) * FACE / 4.0)) r="2.2" {} }
                }
            }
            path.e d={ "M0 " (ShortDecimal(y(expected))) "H" (ShortDecimal(lines)) } {}
            text.ex x=(ShortDecimal(lines + 6.0)) y=(ShortDecimal(y(expected) + 4.0)) { (each) }
        }
    }
}
