//! The report of an arena: a text table, and the same numbers as one JSON object.

use std::fmt;
use std::iter;

use serde::{Deserialize, Serialize};

use super::estimate::Estimate;
use super::match_rules::MatchRules;
use super::rating::Rating;
use super::results::{ForfeitedGame, ResultRow, ResultTable, is_zero};
use super::sprt::{SprtReport, SprtVerdict};
use super::tournament::{Pairing, TournamentFormat};
use dice_of_doom_core::game::Player;
use dice_of_doom_core::serialization::{NamedParameters, SerializableGame};
use dice_of_doom_formats::record::FaultKind;
use serde_json::value::{RawValue, to_raw_value};

/// The report of an arena. Its `Display` form is the text table.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum ArenaReport {
    /// The report of one table.
    Table(TableReport),
    /// The report of a tournament.
    Tournament(TournamentReport),
}

/// The game and the boards.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ArenaSetting {
    /// The game with its parameters.
    pub parameters: GameParametersJson,
    /// Games per board.
    pub rotations: u8,
    /// The seed of the boards, the dice and the players' random choices.
    pub seed: u64,
    /// The number of openings; 0 if boards are dealt.
    #[serde(skip_serializing_if = "is_zero")]
    pub openings: usize,
    /// The number of random plies before the games.
    #[serde(skip_serializing_if = "is_zero")]
    pub opening_plies: u32,
    /// The rules of the games.
    #[serde(skip_serializing_if = "MatchRules::is_default")]
    pub rules: MatchRules,
}

/// A game with its parameters as JSON text, in the form of game records: the game's name comes first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameParametersJson(Box<RawValue>);

impl GameParametersJson {
    /// The parameters of a game.
    ///
    /// # Panics
    /// When the parameters do not serialize to a JSON object; those of games are plain structs.
    #[must_use]
    pub fn from_game<G: SerializableGame>(game: &G) -> Self {
        GameParametersJson(
            to_raw_value(&NamedParameters::from_game(game)).expect("parameters serialize to JSON"),
        )
    }

    /// Parameters from their JSON text, which contains the game's name; `None` if it is not JSON.
    #[must_use]
    pub fn from_json(parameters: String) -> Option<Self> {
        RawValue::from_string(parameters)
            .ok()
            .map(GameParametersJson)
    }

    /// The JSON text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The values without keys, as at the beginning of a notation: `dice.v4.5.4.5`.
    ///
    /// ```
    /// use dice_of_doom_arena::GameParametersJson;
    /// use dice_of_doom_games::trilobite::Trilobite;
    ///
    /// let game = Trilobite::new(8, 7, 4)?;
    /// assert_eq!(GameParametersJson::from_game(&game).short_name(), "trilobite.8.7.4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn short_name(&self) -> String {
        let members = self.text().split(',');
        let values = members.filter_map(|member| member.split_once(':'));
        let bare = |c: char| matches!(c, '"' | '}' | ' ');
        let values = values.map(|(_, value)| value.trim_matches(bare));
        values.collect::<Vec<_>>().join(".")
    }
}

impl PartialEq for GameParametersJson {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// The report of one table.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct TableReport {
    /// The game and the boards.
    #[serde(flatten)]
    pub setting: ArenaSetting,
    /// The results of all boards.
    #[serde(flatten)]
    pub results: ResultTable,
    /// The verdict on the first contestant, if a sequential test was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtReport>,
}

/// The report of a tournament: the results of each pair, and ratings over all games.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct TournamentReport {
    /// The game and the boards.
    #[serde(flatten)]
    pub setting: ArenaSetting,
    /// The format.
    #[serde(skip)]
    pub format: TournamentFormat,
    /// The maximum number of boards of each pair, and the number of boards of a ladder's mixed tables.
    pub boards: u32,
    /// The pairs, in the order in which they were played.
    pub steps: Vec<Pairing>,
    /// The ratings of all contestants, in the order in which they were named.
    pub ratings: Vec<Rating>,
}

impl fmt::Display for ArenaReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArenaReport::Table(report) => report.fmt(f),
            ArenaReport::Tournament(report) => report.fmt(f),
        }
    }
}

impl fmt::Display for TableReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results = &self.results;
        let is_adjusted = results.is_adjusted();
        let mut lines = vec![headings(is_adjusted, self.setting.rotations)];
        lines.extend(
            results
                .contestants
                .iter()
                .map(|row| cells(row, is_adjusted)),
        );
        write_aligned(f, &lines)?;
        writeln!(
            f,
            "par {}; {} boards × {} rotations = {} games, seed {}",
            percent(results.par),
            results.boards,
            self.setting.rotations,
            results.games,
            self.setting.seed
        )?;
        writeln!(
            f,
            "{:.1} plies a game, {} games counted at {} plies",
            results.mean_plies,
            results.games_at_limit,
            self.setting.rules.ply_limit()
        )?;
        write_counts(f, results)?;
        if is_adjusted {
            writeln!(
                f,
                "luck-adjusted: less {} of the luck that a forecast sees in the dice; the interval is of this",
                percent(results.luck_weight)
            )?;
        }
        write_forfeits(f, &results.contestants, &results.forfeits)?;
        match &self.sprt {
            Some(sprt) => writeln!(f, "{}", sprt.summary_line(results.boards)),
            None => Ok(()),
        }
    }
}

impl SprtReport {
    fn summary_line(&self, boards: u32) -> String {
        let [low, high] = [self.sprt.low, self.sprt.high].map(percent);
        let verdict = match self.verdict {
            SprtVerdict::Accepted => format!("accepted: its share is {high} rather than {low}"),
            SprtVerdict::Rejected => format!("rejected: its share is {low} rather than {high}"),
            SprtVerdict::Unknown => format!("no verdict between {low} and {high}"),
        };
        format!(
            "{} after {boards} boards: {verdict} (log-likelihood ratio {:.2})",
            self.contestant, self.log_likelihood_ratio
        )
    }
}

impl fmt::Display for TournamentReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_adjusted = self.steps.iter().any(|step| step.results.is_adjusted());
        let shares = share_headings(is_adjusted).into_iter();
        let others = ["verdict", "ms/decision", "positions/decision", "plies/game"];
        let headings = iter::once("step").chain(shares).chain(others);
        let mut lines = vec![headings.map(str::to_owned).collect()];
        lines.extend(self.steps.iter().map(|step| {
            let upper = &step.results.contestants[0];
            let mut cells = vec![format!("{} against {}", step.upper, step.lower)];
            cells.extend(share_cells(upper, is_adjusted));
            cells.extend([
                step.verdict.label().to_owned(),
                ms(upper.work.ms_per_decision()),
                format!("{:.1}", upper.work.positions_per_decision()),
                format!("{:.1}", step.results.mean_plies),
            ]);
            cells
        }));
        write_aligned(f, &lines)?;
        let par = 1.0 / f64::from(self.setting.rotations);
        writeln!(
            f,
            "par {}; {} boards × {} rotations a step, seed {}",
            percent(par),
            self.boards,
            self.setting.rotations,
            self.setting.seed
        )?;
        for step in &self.steps {
            if step.results.has_counts() {
                writeln!(f, "{} against {}:", step.upper, step.lower)?;
                write_counts(f, &step.results)?;
            }
            write_forfeits(f, &step.results.contestants, &step.results.forfeits)?;
            if let Some(sprt) = &step.sprt {
                write!(f, "{} against {}: ", step.upper, step.lower)?;
                writeln!(f, "{}", sprt.summary_line(step.results.boards))?;
            }
        }
        writeln!(f)?;
        let mut lines = vec![["contestant", "rating", "95 %"].map(str::to_owned).to_vec()];
        lines.extend(self.ratings.iter().map(|rating| {
            vec![
                rating.contestant.to_string(),
                format!("{:.0}", rating.rating),
                format!("{:.0} … {:.0}", rating.low, rating.high),
            ]
        }));
        write_aligned(f, &lines)?;
        write!(
            f,
            "400 points are odds of ten to one in a game of two; intervals are for comparing any two"
        )?;
        match self.format {
            TournamentFormat::Ladder => {
                writeln!(f, "; {} mixed boards tie them together", self.boards)
            }
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet => writeln!(f),
        }
    }
}

/// Writes how many games were decided early, and how many were repeated, if there were any.
fn write_counts(f: &mut fmt::Formatter<'_>, results: &ResultTable) -> fmt::Result {
    if results.games_decided > 0 {
        writeln!(f, "{} games ended as decided", results.games_decided)?;
    }
    if results.repeated_games > 0 {
        let repeated = results.repeated_games;
        writeln!(
            f,
            "{repeated} games repeated others from the same start, move by move: all of them counted once"
        )?;
    }
    Ok(())
}

/// Writes how often each of these contestants forfeited, and the line that caused its first forfeit.
fn write_forfeits(
    f: &mut fmt::Formatter<'_>,
    contestants: &[ResultRow],
    forfeits: &[ForfeitedGame],
) -> fmt::Result {
    for ResultRow {
        contestant, games, ..
    } in contestants
    {
        let own = || forfeits.iter().filter(|one| one.contestant == *contestant);
        let Some(first) = own().next() else {
            continue;
        };
        let kinds = FaultKind::ALL.map(|kind| {
            let number = own().filter(|one| one.forfeit.why.fault == kind).count();
            format!("{number} {}", kind.plural_name())
        });
        let (number, kinds) = (own().count(), kinds.join(", "));
        writeln!(
            f,
            "{contestant} forfeited {number} of {games} games: {kinds}"
        )?;
        let ForfeitedGame {
            board,
            rotation,
            forfeit,
            ..
        } = first;
        let (ply, why) = (forfeit.ply, &forfeit.why);
        writeln!(
            f,
            "  first at board {board}, rotation {rotation}, ply {ply}"
        )?;
        writeln!(f, "  asked    {}", why.asked)?;
        let nothing = "nothing in time";
        writeln!(
            f,
            "  answered {}",
            why.answered.as_deref().unwrap_or(nothing)
        )?;
    }
    Ok(())
}

/// The headings of the shares: the win share, the luck-adjusted share if there was any luck, the interval of the last,
/// and the same as a difference of strength.
fn share_headings(is_adjusted: bool) -> Vec<&'static str> {
    let adjusted = is_adjusted.then_some("luck-adjusted");
    let headings = iter::once("win share").chain(adjusted);
    headings.chain(["95 %", "Elo", "95 %"]).collect()
}

fn share_cells(row: &ResultRow, is_adjusted: bool) -> Vec<String> {
    let adjusted = is_adjusted.then(|| percent(row.adjusted.mean));
    let cells = iter::once(percent(row.share.mean)).chain(adjusted);
    let elo = [row.elo.to_string(), row.elo.interval()];
    cells.chain([range(&row.adjusted)]).chain(elo).collect()
}

/// The headings: the contestant, the shares, the share as each player, the cost of decisions.
fn headings(is_adjusted: bool, players: u8) -> Vec<String> {
    let first = ["contestant", "seats", "games"].into_iter();
    let first = first.chain(share_headings(is_adjusted)).map(str::to_owned);
    let players = Player::all(players).map(|player| format!("as {player}"));
    let cost = ["ms/decision", "positions/decision", "decisions"].map(str::to_owned);
    first.chain(players).chain(cost).collect()
}

fn cells(row: &ResultRow, is_adjusted: bool) -> Vec<String> {
    let first = [
        row.contestant.to_string(),
        row.seats.to_string(),
        row.games.to_string(),
    ];
    let shares = share_cells(row, is_adjusted);
    let players = row.share_by_player.iter().map(|&share| percent(share));
    let cost = [
        ms(row.work.ms_per_decision()),
        format!("{:.1}", row.work.positions_per_decision()),
        row.work.decisions.to_string(),
    ];
    let first = first.into_iter().chain(shares);
    first.chain(players).chain(cost).collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn range(share: &Estimate) -> String {
    format!("{:.1} … {:.1}", 100.0 * share.low, 100.0 * share.high)
}

fn ms(ms: f64) -> String {
    format!("{ms:.3}")
}

/// Writes a table whose columns are padded to their widest cell; the first column is left-aligned, the others
/// right-aligned.
fn write_aligned(f: &mut fmt::Formatter<'_>, lines: &[Vec<String>]) -> fmt::Result {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            match column {
                0 => write!(f, "{cell:width$}")?,
                _ => write!(f, "  {cell:>width$}")?,
            }
        }
        writeln!(f)?;
    }
    Ok(())
}
