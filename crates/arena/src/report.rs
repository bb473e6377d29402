//! The report of an arena: a table for people, and the same numbers as one JSON object for programs.

use std::fmt;
use std::iter;

use serde::{Deserialize, Serialize};

use super::Contestant;
use super::estimate::Estimate;
use super::match_player::FaultKind;
use super::rating::Rating;
use super::results::{ForfeitedGame, ResultRow, ResultTable};
use super::sprt::{Sprt, SprtVerdict};
use super::tournament::{Pairing, TournamentFormat};
use dice_of_doom_core::game::Player;
use dice_of_doom_core::record::MAX_PLIES;
use dice_of_doom_core::serialization::{NamedParameters, SerializableGame};
use serde_json::value::{RawValue, to_raw_value};

/// The report of an arena. Its text form is the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum ArenaReport {
    /// The report of contestants at one table.
    Table(TableReport),
    /// The report of a tournament.
    Tournament(TournamentReport),
}

/// What was played.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ArenaSetting {
    /// The game with its parameters.
    pub parameters: GameParametersJson,
    /// Games on a board.
    pub rotations: u8,
    /// The seed of boards, dice and variety.
    pub seed: u64,
    /// From how many openings the boards begin; 0 where they are dealt.
    #[serde(skip_serializing_if = "is_none")]
    pub openings: usize,
}

/// What serde asks for takes a reference.
fn is_none(openings: &usize) -> bool {
    *openings == 0
}

/// A game with its parameters, as JSON: the game's name first, as records have it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameParametersJson(Box<RawValue>);

impl GameParametersJson {
    /// This game.
    ///
    /// # Panics
    /// When the parameters are no JSON object; those of games are plain structs.
    #[must_use]
    pub fn of<G: SerializableGame>(game: &G) -> Self {
        GameParametersJson(
            to_raw_value(&NamedParameters::of(game)).expect("parameters are plain values"),
        )
    }

    /// What parameters are written as in JSON, the game's name among them; `None` where that is no JSON.
    #[must_use]
    pub fn written(parameters: String) -> Option<Self> {
        RawValue::from_string(parameters)
            .ok()
            .map(GameParametersJson)
    }

    /// The JSON text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The name and the numbers alone, as notation begins: `dice.v4.5.4.5`.
    ///
    /// ```
    /// use dice_of_doom_arena::Played;
    /// use dice_of_doom_games::trilobite::Trilobite;
    ///
    /// let game = Trilobite::new(8, 7, 4)?;
    /// assert_eq!(Played::of(&game).short(), "trilobite.8.7.4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn short(&self) -> String {
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

/// Contestants at one table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TableReport {
    /// What was played.
    #[serde(flatten)]
    pub setting: ArenaSetting,
    /// The sums over all boards.
    #[serde(flatten)]
    pub tally: ResultTable,
    /// The verdict of the test of the first contestant, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtReport>,
}

/// How a sequential test ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SprtReport {
    /// The two win shares that were told apart.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The contestant whose share was tested.
    pub contestant: Contestant,
    /// The verdict of the boards.
    pub verdict: SprtVerdict,
    /// The log likelihood ratio of the high share to the low one.
    pub log_likelihood_ratio: f64,
}

/// The report of a tournament: a step for each pair, and ratings over all games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TournamentReport {
    /// What was played.
    #[serde(flatten)]
    pub setting: ArenaSetting,
    /// Who met whom.
    #[serde(skip)]
    pub form: TournamentFormat,
    /// How many boards for each step at most, and for the mixed tables of a ladder.
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
        let tally = &self.tally;
        let is_adjusted = tally.is_adjusted();
        let mut lines = vec![headings(is_adjusted, self.setting.rotations)];
        lines.extend(tally.contestants.iter().map(|row| cells(row, is_adjusted)));
        aligned(f, &lines)?;
        writeln!(
            f,
            "par {}; {} boards × {} rotations = {} games, seed {}",
            percent(tally.par),
            tally.boards,
            self.setting.rotations,
            tally.games,
            self.setting.seed
        )?;
        writeln!(
            f,
            "{:.1} plies a game, {} games counted at {MAX_PLIES} plies",
            tally.mean_plies, tally.games_at_limit
        )?;
        if is_adjusted {
            writeln!(
                f,
                "luck-adjusted: less {} of the luck that a forecast sees in the dice; the interval is of this",
                percent(tally.luck_weight)
            )?;
        }
        forfeits(f, &tally.contestants, &tally.forfeits)?;
        match &self.sprt {
            Some(sprt) => writeln!(f, "{}", sprt.words(tally.boards)),
            None => Ok(()),
        }
    }
}

impl SprtReport {
    fn words(&self, boards: u32) -> String {
        let [low, high] = [self.sprt.low, self.sprt.high].map(percent);
        let says = match self.verdict {
            SprtVerdict::Accepted => format!("accepted: its share is {high} rather than {low}"),
            SprtVerdict::Rejected => format!("rejected: its share is {low} rather than {high}"),
            SprtVerdict::Open => format!("no verdict between {low} and {high}"),
        };
        format!(
            "{} after {boards} boards: {says} (log-likelihood ratio {:.2})",
            self.contestant, self.log_likelihood_ratio
        )
    }
}

impl fmt::Display for TournamentReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_adjusted = self.steps.iter().any(|step| step.tally.is_adjusted());
        let shares = share_headings(is_adjusted).into_iter();
        let others = ["verdict", "ms/decision", "positions/decision", "plies/game"];
        let headings = iter::once("step").chain(shares).chain(others);
        let mut lines = vec![headings.map(str::to_owned).collect()];
        lines.extend(self.steps.iter().map(|step| {
            let upper = &step.tally.contestants[0];
            let mut cells = vec![format!("{} against {}", step.upper, step.lower)];
            cells.extend(share_cells(upper, is_adjusted));
            cells.extend([
                step.verdict.table_rows().to_owned(),
                ms(upper.work.ms_per_decision()),
                format!("{:.1}", upper.work.positions_per_decision()),
                format!("{:.1}", step.tally.mean_plies),
            ]);
            cells
        }));
        aligned(f, &lines)?;
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
            forfeits(f, &step.tally.contestants, &step.tally.forfeits)?;
            if let Some(sprt) = &step.sprt {
                write!(f, "{} against {}: ", step.upper, step.lower)?;
                writeln!(f, "{}", sprt.words(step.tally.boards))?;
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
        aligned(f, &lines)?;
        write!(
            f,
            "400 points are odds of ten to one in a game of two; intervals are for comparing any two"
        )?;
        match self.form {
            TournamentFormat::Ladder => {
                writeln!(f, "; {} mixed boards tie them together", self.boards)
            }
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet => writeln!(f),
        }
    }
}

/// How often each of these forfeited, and the first line that did it.
fn forfeits(
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

/// The headings of shares: what was won, the same adjusted for luck where there was any, and the interval of the last.
fn share_headings(is_adjusted: bool) -> Vec<&'static str> {
    let adjusted = is_adjusted.then_some("luck-adjusted");
    let headings = iter::once("win share").chain(adjusted);
    headings.chain(["95 %"]).collect()
}

fn share_cells(row: &ResultRow, is_adjusted: bool) -> Vec<String> {
    let adjusted = is_adjusted.then(|| percent(row.adjusted.mean));
    let cells = iter::once(percent(row.share.mean)).chain(adjusted);
    cells.chain([range(&row.adjusted)]).collect()
}

/// The headings: who it is, the shares, then one for each player, then the cost of decisions.
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

/// Pads each column to its widest cell; the first is aligned to the left, numbers to the right.
fn aligned(f: &mut fmt::Formatter<'_>, lines: &[Vec<String>]) -> fmt::Result {
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
