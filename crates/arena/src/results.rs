//! The results of a table: a row for each contestant and a row for each seat.

use serde::{Serialize, Serializer};

use super::board_result::{BoardResult, DecisionCost, GameEndReason};
use super::elo::EloDifference;
use super::estimate::Estimate;
use super::luck::LuckAdjustment;
use super::repeats::distinct_boards;
use super::{Contestant, Seating, seat_of};
use dice_of_doom_core::game::Player;
use dice_of_doom_formats::record::Forfeit;

/// The results of some boards with the same contestants.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ResultTable {
    /// The number of boards played; boards that repeat an earlier one are not counted.
    pub boards: u32,
    /// The number of games played on them.
    pub games: u32,
    /// Par: the share of each player if all were equally strong, 1/players.
    pub par: f64,
    /// The mean number of plies per game.
    pub mean_plies: f64,
    /// The number of games that were adjudicated at the ply limit.
    pub games_at_limit: u32,
    /// The number of games that were adjudicated because they were decided.
    #[serde(skip_serializing_if = "is_zero")]
    pub games_decided: u32,
    /// The number of further games that repeated others from the same start.
    #[serde(skip_serializing_if = "is_zero")]
    pub repeated_games: u32,
    /// The part of the luck that is subtracted from adjusted shares: see [`LuckAdjustment`].
    pub luck_weight: f64,
    /// A row for each contestant, in the order in which they were named; its seats are pooled.
    pub contestants: Vec<ResultRow>,
    /// A row for each seat.
    pub seats: Vec<ResultRow>,
    /// All forfeits, ordered by board and rotation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forfeits: Vec<ForfeitedGame>,
}

/// A game that a contestant forfeited.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ForfeitedGame {
    /// The contestant that forfeited.
    pub contestant: Contestant,
    /// The number of the board.
    pub board: u32,
    /// The number of the rotation.
    pub rotation: u8,
    /// The player, the ply and the fault.
    #[serde(flatten)]
    pub forfeit: Forfeit,
}

/// The results of a contestant or of a seat.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ResultRow {
    /// The contestant.
    pub contestant: Contestant,
    /// The number of its seats at each board.
    pub seats: u32,
    /// The number of games, counted once for each seat.
    pub games: u32,
    /// The mean share of a game, with its interval over boards.
    #[serde(flatten)]
    pub share: Estimate,
    /// The mean share adjusted for luck with the dice: the better estimate of strength.
    pub adjusted: Estimate,
    /// The difference of strength from par that the adjusted share stands for.
    pub elo: EloDifference,
    /// The mean share of a game as each player, in order.
    pub share_by_player: Vec<f64>,
    /// The cost of its decisions.
    #[serde(flatten, serialize_with = "serialize_per_decision")]
    pub work: DecisionCost,
}

fn serialize_per_decision<S: Serializer>(
    work: &DecisionCost,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct PerDecision {
        decisions: u64,
        ms_per_decision: f64,
        positions_per_decision: f64,
    }
    PerDecision {
        decisions: work.decisions,
        ms_per_decision: work.ms_per_decision(),
        positions_per_decision: work.positions_per_decision(),
    }
    .serialize(serializer)
}

impl ResultTable {
    /// Whether the adjusted shares differ from the shares.
    #[must_use]
    pub fn is_adjusted(&self) -> bool {
        self.luck_weight != 0.0
    }

    /// Whether games were decided early or repeated.
    pub(super) const fn has_counts(&self) -> bool {
        self.games_decided > 0 || self.repeated_games > 0
    }

    /// Sums up boards with these contestants, one per seat.
    #[must_use]
    pub fn from_boards(seats: &[Contestant], boards: &[BoardResult]) -> Self {
        let players = seats.len() as u8;
        let forfeits = forfeits(seats, boards);
        let all_boards = boards.len();
        let boards = distinct_boards(boards).into_iter();
        let boards = &boards.map(|(_, board)| board.clone()).collect::<Vec<_>>()[..];
        let repeated_games = (all_boards - boards.len()) as u32 * u32::from(players);
        let adjustment = LuckAdjustment::fit(boards);
        let all_games = || boards.iter().flat_map(|board| &board.games);
        let games = all_games().count() as u32;
        let plies: u64 = all_games().map(|game| u64::from(game.plies)).sum();
        let ended =
            |end: &GameEndReason| all_games().filter(|game| game.end == *end).count() as u32;
        let named = Seating::Fixed(seats.to_vec()).contestants();
        let contestants = named.into_iter().map(|contestant| {
            let is_own = |&seat: &usize| seats[seat] == contestant;
            let own_seats: Vec<usize> = (0..seats.len()).filter(is_own).collect();
            result_row(&contestant, &own_seats, boards, adjustment, players)
        });
        let numbered_seats = seats.iter().enumerate();
        ResultTable {
            boards: boards.len() as u32,
            games,
            par: 1.0 / f64::from(players),
            mean_plies: plies as f64 / f64::from(games.max(1)),
            games_at_limit: ended(&GameEndReason::Limit),
            games_decided: ended(&GameEndReason::Decided),
            repeated_games,
            luck_weight: adjustment.weight(),
            contestants: contestants.collect(),
            seats: numbered_seats
                .map(|(seat, contestant)| {
                    result_row(contestant, &[seat], boards, adjustment, players)
                })
                .collect(),
            forfeits,
        }
    }
}

fn forfeits(seats: &[Contestant], boards: &[BoardResult]) -> Vec<ForfeitedGame> {
    let players = seats.len() as u8;
    let numbered = (0..).zip(boards);
    let games = numbered.flat_map(|(board, result)| {
        let games = (0..).zip(&result.games);
        games.map(move |(rotation, game)| (board, rotation, game))
    });
    let forfeited = games.filter_map(|(board, rotation, game)| {
        let forfeit = game.end.forfeit()?.clone();
        Some(ForfeitedGame {
            contestant: seats[seat_of(forfeit.player, rotation, players)].clone(),
            board,
            rotation,
            forfeit,
        })
    });
    forfeited.collect()
}

/// The adjusted shares of a contestant, one for each board: the mean over its seats.
pub(super) fn board_means(
    own: &[usize],
    boards: &[BoardResult],
    adjustment: LuckAdjustment,
) -> Vec<f64> {
    let mean = |board: &BoardResult| {
        let shares = own
            .iter()
            .map(|&seat| adjustment.mean_win_share(board, seat));
        shares.sum::<f64>() / own.len() as f64
    };
    boards.iter().map(mean).collect()
}

fn result_row(
    contestant: &Contestant,
    own: &[usize],
    boards: &[BoardResult],
    adjustment: LuckAdjustment,
    players: u8,
) -> ResultRow {
    let share_as = |player: Player| {
        let mut sum = 0.0;
        for board in boards {
            for &seat in own {
                let mut rotations = 0..players;
                let rotation = rotations.find(|&rotation| board.player(seat, rotation) == player);
                let rotation = rotation.expect("every seat plays every player once");
                sum += board.win_share(seat, rotation);
            }
        }
        sum / (boards.len() * own.len()).max(1) as f64
    };
    let works = boards
        .iter()
        .flat_map(|board| own.iter().map(|&seat| board.work[seat]));
    let adjusted = adjustment.estimate(boards, own);
    ResultRow {
        contestant: contestant.clone(),
        seats: own.len() as u32,
        games: (boards.len() * own.len()) as u32 * u32::from(players),
        share: LuckAdjustment::NONE.estimate(boards, own),
        adjusted,
        elo: EloDifference::from_share(&adjusted, 1.0 / f64::from(players)),
        share_by_player: Player::all(players).map(share_as).collect(),
        work: works.fold(DecisionCost::default(), DecisionCost::plus),
    }
}

/// serde passes a reference.
pub(super) fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
