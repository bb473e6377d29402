//! A line chart over the course of a game: one line for each player, with glyphs, and the same numbers as a
//! table.

use maud::{Markup, PreEscaped, html};

use super::board::ShortDecimal;
use super::localization::Translations;
use super::players::PlayerNames;
use super::svg_symbols::glyph_icon;

/// The values of one player: at the start, then after every turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChartSeries {
    /// The player of the line.
    pub player: u8,
    /// The value at the start, then after every turn.
    pub values: Vec<u32>,
}

/// A marker on a player's line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChartMarker {
    /// The number or sign in the marker.
    pub label: char,
    /// The player of the line.
    pub player: u8,
    /// The turn, counted from 1, in which it is, or for [`ChartUnit::Chance`] the number of the page after it.
    pub turn: u32,
}

/// A turn of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChartTurn {
    /// The player.
    pub player: u8,
    /// Its number among the turns of the player, counted from 1.
    pub number: u32,
}

/// The unit of the values and of the x axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChartUnit<'t> {
    /// Counts after each of these turns; a marker is placed in the middle of its turn.
    Count(&'t [ChartTurn]),
    /// Win probability in thousandths, by the pages of the game; a marker is placed at its page.
    Chance,
}

impl ChartUnit<'_> {
    /// Message key of the start of the game on the x axis.
    const fn start(self) -> &'static str {
        match self {
            ChartUnit::Count(_) => "graph-start",
            ChartUnit::Chance => "review-ply-0",
        }
    }

    /// Left margin, for the labels of the y axis.
    const fn left(self) -> f64 {
        match self {
            ChartUnit::Count(_) => LEFT,
            ChartUnit::Chance => WIDE_LEFT,
        }
    }

    /// The labels of the x axis after the start: place and number.
    fn ticks(self, places: usize) -> Vec<(usize, usize)> {
        let Self::Count(turns) = self else {
            let ticks = (0..=places).step_by(step(places, MAX_TICKS)).skip(1);
            return ticks.map(|place| (place, place)).collect();
        };
        // A number stands where the last turn with it ends.
        let number = |place: usize| turns.get(place).map(|turn| turn.number);
        let ends = (0..turns.len()).filter(|&place| number(place) != number(place + 1));
        let ends = ends.filter_map(|place| Some((place + 1, number(place)? as usize)));
        let ends: Vec<(usize, usize)> = ends.collect();
        let step = step(ends.len(), MAX_TICKS);
        let shown = ends.into_iter().filter(|(_, number)| number % step == 0);
        shown.collect()
    }

    /// A label of the y axis.
    fn written(self, text: &Translations, value: usize) -> String {
        match self {
            ChartUnit::Count(_) => value.to_string(),
            ChartUnit::Chance => {
                let percent = (value / 10).to_string();
                text.get_with("review-percent", &[("n", percent.into())])
                    .into_owned()
            }
        }
    }
}

/// Size of the plot area.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 280.0;

/// Margins: values on the left, names on the right, turns below.
const LEFT: f64 = 36.0;
const WIDE_LEFT: f64 = 72.0;
const RIGHT: f64 = 132.0;
const ABOVE: f64 = 44.0;
const BELOW: f64 = 36.0;

/// The most labels of the x axis after the start, and their y coordinate.
const MAX_TICKS: usize = 8;
const FOOT: f64 = HEIGHT + 27.0;

/// Minimum vertical distance between labels at the right edge.
const LABEL_GAP: f64 = 23.0;

/// Height of a marker above its line, and minimum distance between markers.
const PIN: f64 = 26.0;
const PIN_GAP: f64 = 30.0;

/// Maximum number of letters of a name next to a line.
const MOST_LETTERS: usize = 8;

/// Maps turns and values to coordinates.
struct ChartScale {
    turns: usize,
    top: u32,
}

impl ChartScale {
    fn of(lines: &[ChartSeries], unit: ChartUnit<'_>) -> Self {
        let values = lines.iter().flat_map(|line| line.values.iter().copied());
        let lengths = lines.iter().map(|line| line.values.len());
        ChartScale {
            turns: lengths.max().unwrap_or(1).saturating_sub(1).max(1),
            top: match unit {
                ChartUnit::Count(_) => values.max().unwrap_or(0).max(1),
                ChartUnit::Chance => 1000,
            },
        }
    }

    fn x(&self, turn: f64) -> f64 {
        turn / self.turns as f64 * WIDTH
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - value / f64::from(self.top) * HEIGHT
    }
}

/// The smallest round step that divides `total` into at most `max_steps` parts.
fn step(total: usize, max_steps: usize) -> usize {
    let steps = [1, 2, 5, 10, 20, 50, 100, 200, 500];
    let fits = steps.into_iter().find(|step| total / step <= max_steps);
    fits.unwrap_or(total.max(1))
}

/// The chart, with glyphs and names at the ends of the lines. `label` is its accessible name.
#[must_use]
pub fn graph(
    text: &Translations,
    names: &PlayerNames<'_>,
    lines: &[ChartSeries],
    pins: &[ChartMarker],
    label: &str,
    unit: ChartUnit<'_>,
) -> Markup {
    let scale = ChartScale::of(lines, unit);
    let grid = match unit {
        ChartUnit::Count(_) => step(scale.top as usize, 6),
        ChartUnit::Chance => 250,
    };
    // Draws the viewer's own lines last, on top of the others.
    let mut order: Vec<&ChartSeries> = lines.iter().collect();
    order.sort_by_key(|line| names.is_mine(line.player));
    html! {
        svg.graph viewBox={ (-unit.left()) " " (-ABOVE) " " (unit.left() + WIDTH + RIGHT) " " (ABOVE + HEIGHT + BELOW) } role="img" aria-label=(label) {
            @for value in (0..=scale.top as usize).step_by(grid) {
                @let y = ShortDecimal(scale.y(value as f64));
                path.gr d={ "M0 " (y) "H" (WIDTH) } {}
                text.ax.at x="-8" y=(y) dy=".35em" { (unit.written(text, value)) }
            }
            text.ax x="0" y=(FOOT) { (text.get(unit.start())) }
            @for (place, number) in unit.ticks(scale.turns) {
                text.ax x=(ShortDecimal(scale.x(place as f64))) y=(FOOT) { (number) }
            }
            @if matches!(unit, ChartUnit::Count(_)) {
                text.ax x=(WIDTH + RIGHT / 2.0) y=(FOOT) { (text.get("graph-turns")) }
            }
            @for line in &order { (polyline(&scale, line, names)) }
            (glyphs(&scale, lines))
            @for (line, y) in labels(&scale, lines) { (line_end(&scale, line, y, names, unit)) }
            // Draws lower markers last, so that they cover the stems of higher ones.
            @for (pin, x, y, foot) in place_markers(&scale, lines, pins, unit).into_iter().rev() {
                g.mk.fine[pin.label == '+'] transform={ "translate(" (ShortDecimal(x)) " " (ShortDecimal(y)) ")" } {
                    path d={ "M0 0V" (ShortDecimal(foot - y)) } {}
                    circle r="11" {}
                    text dy=".36em" { (pin.label) }
                }
            }
        }
    }
}

fn polyline(scale: &ChartScale, line: &ChartSeries, names: &PlayerNames<'_>) -> Markup {
    let points = line.values.iter().enumerate().map(|(turn, value)| {
        let (x, y) = (scale.x(turn as f64), scale.y(f64::from(*value)));
        format!("{},{}", ShortDecimal(x), ShortDecimal(y))
    });
    let points: Vec<_> = points.collect();
    html! {
        polyline class={ "ln p" (line.player % 6) @if names.is_mine(line.player) { " me" } } points=(points.join(" ")) {}
    }
}

fn glyph(player: u8, x: f64, y: f64, size: f64) -> Markup {
    let player = player % 6;
    let (x, y) = (ShortDecimal(x - size / 2.0), ShortDecimal(y - size / 2.0));
    PreEscaped(format!(
        r##"<use class="gg p{player}" href="#gl{player}" x="{x}" y="{y}" width="{size}" height="{size}"/>"##
    ))
}

/// Glyphs along the lines, for one line after another, so that few overlap.
fn glyphs(scale: &ChartScale, lines: &[ChartSeries]) -> Markup {
    let ticks = step(scale.turns, MAX_TICKS);
    let turns = (ticks..scale.turns).step_by(ticks);
    html! {
        @for (turn, line) in turns.zip(lines.iter().cycle()) {
            @if let Some(value) = line.values.get(turn) {
                (glyph(line.player, scale.x(turn as f64), scale.y(f64::from(*value)), 15.0))
            }
        }
    }
}

/// The lines, each with the y coordinate of its label: close to the end of the line, without overlap.
fn labels<'l>(scale: &ChartScale, lines: &'l [ChartSeries]) -> Vec<(&'l ChartSeries, f64)> {
    let end = |line: &ChartSeries| f64::from(line.values.last().copied().unwrap_or(0));
    let mut labels: Vec<_> = lines
        .iter()
        .map(|line| (line, scale.y(end(line))))
        .collect();
    labels.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let mut free = f64::NEG_INFINITY;
    for (_, y) in &mut labels {
        *y = y.max(free);
        free = *y + LABEL_GAP;
    }
    // Labels below the plot area are moved back up, together with those above them.
    let mut free = HEIGHT;
    for (_, y) in labels.iter_mut().rev() {
        *y = y.min(free);
        free = *y - LABEL_GAP;
    }
    labels
}

fn line_end(
    scale: &ChartScale,
    line: &ChartSeries,
    y: f64,
    names: &PlayerNames<'_>,
    unit: ChartUnit<'_>,
) -> Markup {
    let value = line.values.last().copied().unwrap_or(0);
    let (x, end) = (WIDTH, scale.y(f64::from(value)));
    let mut name = names.name(line.player).to_owned();
    if name.chars().count() > MOST_LETTERS {
        name = name.chars().take(MOST_LETTERS - 1).collect();
        name.push('…');
    }
    html! {
        g class={ "end p" (line.player % 6) } {
            @if (end - y).abs() > 1.0 {
                path d={ "M" (x) " " (ShortDecimal(end)) "L" (x + 11.0) " " (ShortDecimal(y)) } {}
            }
            circle cx=(x) cy=(ShortDecimal(end)) r="4" {}
            (glyph(line.player, x + 20.0, y, 15.0))
            text x=(x + 32.0) y=(ShortDecimal(y)) dy=".35em" { (name) @if matches!(unit, ChartUnit::Count(_)) { " " (value) } }
        }
    }
}

/// The markers, each as (marker, x, y, y of its point on the line): slightly above the line, and higher where
/// two would overlap.
fn place_markers(
    scale: &ChartScale,
    lines: &[ChartSeries],
    pins: &[ChartMarker],
    unit: ChartUnit<'_>,
) -> Vec<(ChartMarker, f64, f64, f64)> {
    let mut positions: Vec<(ChartMarker, f64, f64, f64)> = Vec::new();
    for pin in pins {
        let Some(line) = lines.iter().find(|line| line.player == pin.player) else {
            continue;
        };
        let at = |turn: u32| line.values.get(turn as usize).copied().unwrap_or(0);
        let (value, x) = match unit {
            ChartUnit::Count(_) => (
                f64::from(at(pin.turn.saturating_sub(1)) + at(pin.turn)) / 2.0,
                scale.x(f64::from(pin.turn) - 0.5),
            ),
            ChartUnit::Chance => (f64::from(at(pin.turn)), scale.x(f64::from(pin.turn))),
        };
        let foot = scale.y(value);
        let overlaps = |y: &f64| {
            let mut others = positions.iter();
            others.any(|(_, ox, oy, _)| (ox - x).abs() < PIN && (oy - y).abs() < PIN_GAP)
        };
        // Above the line while there is space, then below it.
        let steps = (0..pins.len()).map(|step| PIN + step as f64 * PIN_GAP);
        let above = steps.clone().map(|step| foot - step);
        let above = above.filter(|y| *y >= PIN - ABOVE);
        let mut free = above.chain(steps.map(|step| foot + step));
        let y = free.find(|y| !overlaps(y)).unwrap_or(foot - PIN);
        positions.push((*pin, x, y, foot));
    }
    positions
}

/// The same numbers as a collapsed table, a row for each turn.
#[must_use]
pub fn as_table(
    text: &Translations,
    names: &PlayerNames<'_>,
    lines: &[ChartSeries],
    turns: &[ChartTurn],
    caption: &str,
) -> Markup {
    let rows = html! {
        thead {
            tr {
                th scope="col" { (text.get("graph-turn")) }
                @for line in lines { th scope="col" { (glyph_icon(line.player)) " " (names.name(line.player)) } }
            }
        }
        tbody {
            @for (place, turn) in [None].into_iter().chain(turns.iter().map(Some)).enumerate() {
                tr {
                    th scope="row" {
                        @match turn {
                            None => { (text.get("graph-start")) }
                            Some(turn) => { (turn.number) " " (glyph_icon(turn.player)) " " (names.name(turn.player)) }
                        }
                    }
                    @for line in lines { td { @if let Some(value) = line.values.get(place) { (value) } } }
                }
            }
        }
    };
    folded_numbers(&text.get("graph-table"), caption, &rows)
}

/// The frame of a collapsed table with the numbers of a chart.
pub(super) fn folded_numbers(summary: &str, caption: &str, rows: &Markup) -> Markup {
    html! {
        details.astable {
            summary { (summary) }
            div.wide tabindex="0" role="group" aria-label=(caption) {
                table {
                    caption.vh { (caption) }
                    (rows)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(player: u8, values: &[u32]) -> ChartSeries {
        let values = values.to_vec();
        ChartSeries { player, values }
    }

    #[test]
    fn labels_do_not_overlap_and_stay_within_the_plot_area() {
        for ends in [[0, 0, 0, 0], [9, 9, 9, 9], [0, 1, 9, 9], [4, 5, 4, 5]] {
            let lines = [0, 1, 2, 3].map(|player| line(player, &[9, ends[usize::from(player)]]));
            let labels = labels(&ChartScale::of(&lines, ChartUnit::Count(&[])), &lines);
            for two in labels.windows(2) {
                assert!(two[1].1 - two[0].1 >= LABEL_GAP - 1e-9, "{ends:?}");
            }
            assert!(
                labels.iter().all(|(_, y)| (0.0..=HEIGHT).contains(y)),
                "{ends:?}"
            );
        }
    }

    #[test]
    fn markers_of_one_turn_do_not_overlap() {
        let lines = [line(0, &[9, 9, 0])];
        let pin = |label, turn| ChartMarker {
            label,
            player: 0,
            turn,
        };
        let positions = place_markers(
            &ChartScale::of(&lines, ChartUnit::Count(&[])),
            &lines,
            &[pin('1', 1), pin('2', 1), pin('3', 1), pin('+', 2)],
            ChartUnit::Count(&[]),
        );
        assert_eq!(positions.len(), 4);
        for (i, (_, x, y, _)) in positions.iter().enumerate() {
            let others = positions[..i].iter();
            assert!(
                others
                    .clone()
                    .all(|(_, ox, oy, _)| (ox - x).hypot(oy - y) > 25.0),
                "{i}"
            );
            assert!((-ABOVE..=HEIGHT + PIN).contains(y), "{y}");
        }
    }

    #[test]
    fn turns_are_numbered_as_those_of_the_players() {
        let turns = |turns: u32| -> Vec<ChartTurn> {
            let turns = (0..turns).map(|turn| ChartTurn {
                player: (turn % 4) as u8,
                number: turn / 4 + 1,
            });
            turns.collect()
        };
        let ticks = |all: u32| ChartUnit::Count(&turns(all)).ticks(all as usize);
        assert_eq!(ticks(9), [(4, 1), (8, 2), (9, 3)]);
        assert_eq!(ticks(40), [(8, 2), (16, 4), (24, 6), (32, 8), (40, 10)]);
        assert!(ticks(0).is_empty());
        assert_eq!(
            ChartUnit::Chance.ticks(10),
            [2, 4, 6, 8, 10].map(|at| (at, at))
        );
    }

    #[test]
    fn step_is_round_and_limits_the_number_of_steps() {
        assert_eq!(
            [1, 8, 9, 17, 90, 400].map(|turns| step(turns, 8)),
            [1, 1, 2, 2, 20, 50]
        );
    }
}
