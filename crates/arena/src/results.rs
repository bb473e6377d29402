//! The sums of an arena: a row for each contestant, a row for each seat.

use serde::{Serialize, Serializer};

use super::board::{BoardResult, DecisionCost, Forfeit, GameEndReason};
use super::estimate::Estimate;
use super::luck::LuckAdjustment;
use super::{Contestant, Seating, seat_of};
use dice_of_doom_core::game::Player;

/// The sums over some boards at which the same contestants sat.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ResultTable {
    /// How many boards were played.
    pub boards: u32,
    /// How many games were played on them.
    pub games: u32,
    /// Par: what everybody would get if all were equal.
    pub par: f64,
    /// Mean plies per game.
    pub mean_plies: f64,
    /// How many games were counted at the limit of plies.
    pub games_at_limit: u32,
    /// How much of the forecast luck adjusted shares are less by: see [`LuckAdjustment`].
    pub luck_weight: f64,
    /// A row for each contestant, in the order they were named; the seats of one are pooled.
    pub contestants: Vec<ResultRow>,
    /// A row for each seat.
    pub seats: Vec<ResultRow>,
    /// Every forfeit, by board and rotation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forfeits: Vec<ForfeitedGame>,
}

/// A game that a contestant forfeited.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ForfeitedGame {
    /// Who it was.
    pub contestant: Contestant,
    /// The number of the board.
    pub board: u32,
    /// The number of the rotation.
    pub rotation: u8,
    /// As which player, at which ply, and why.
    #[serde(flatten)]
    pub forfeit: Forfeit,
}

/// The results of a contestant or of a seat.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ResultRow {
    /// The contestant.
    pub contestant: Contestant,
    /// How many seats of each board it has.
    pub seats: u32,
    /// Games, counted once for each seat.
    pub games: u32,
    /// The mean share of a game, with its interval over boards.
    #[serde(flatten)]
    pub share: Estimate,
    /// The same, adjusted for the luck of the dice: the better estimate of how strong it is.
    pub adjusted: Estimate,
    /// The mean share of a game as each player, in order.
    pub share_by_player: Vec<f64>,
    /// The cost of its decisions.
    #[serde(flatten, serialize_with = "per_decision")]
    pub work: DecisionCost,
}

fn per_decision<S: Serializer>(work: &DecisionCost, serializer: S) -> Result<S::Ok, S::Error> {
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
    /// Whether any luck was found that shares are adjusted for.
    #[must_use]
    pub fn is_adjusted(&self) -> bool {
        self.luck_weight != 0.0
    }

    /// Sums up boards at which these contestants sat, one a seat.
    #[must_use]
    pub fn of(seats: &[Contestant], boards: &[BoardResult]) -> Self {
        let players = seats.len() as u8;
        let adjustment = LuckAdjustment::fit(boards);
        let all_games = || boards.iter().flat_map(|board| &board.games);
        let games = all_games().count() as u32;
        let plies: u64 = all_games().map(|game| u64::from(game.plies)).sum();
        let named = Seating::Fixed(seats.to_vec()).contestants();
        let contestants = named.into_iter().map(|contestant| {
            let sits = |&seat: &usize| seats[seat] == contestant;
            let own: Vec<usize> = (0..seats.len()).filter(sits).collect();
            row(&contestant, &own, boards, adjustment, players)
        });
        let each = seats.iter().enumerate();
        ResultTable {
            boards: boards.len() as u32,
            games,
            par: 1.0 / f64::from(players),
            mean_plies: plies as f64 / f64::from(games.max(1)),
            games_at_limit: all_games()
                .filter(|game| matches!(game.end, GameEndReason::Limit))
                .count() as u32,
            luck_weight: adjustment.weight(),
            contestants: contestants.collect(),
            seats: each
                .map(|(seat, contestant)| row(contestant, &[seat], boards, adjustment, players))
                .collect(),
            forfeits: forfeits(seats, boards),
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

/// A contestant's shares, adjusted, one for each board: the mean of its seats.
pub(super) fn board_means(
    own: &[usize],
    boards: &[BoardResult],
    adjustment: LuckAdjustment,
) -> Vec<f64> {
    let mean = |board: &BoardResult| {
        let shares = own.iter().map(|&seat| adjustment.mean_share(board, seat));
        shares.sum::<f64>() / own.len() as f64
    };
    boards.iter().map(mean).collect()
}

fn row(
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
                let rotation = rotation.expect("a seat plays every player");
                sum += board.share(seat, rotation);
            }
        }
        sum / (boards.len() * own.len()).max(1) as f64
    };
    let works = boards
        .iter()
        .flat_map(|board| own.iter().map(|&seat| board.work[seat]));
    ResultRow {
        contestant: contestant.clone(),
        seats: own.len() as u32,
        games: (boards.len() * own.len()) as u32 * u32::from(players),
        share: LuckAdjustment::NONE.estimate(boards, own),
        adjusted: adjustment.estimate(boards, own),
        share_by_player: Player::all(players).map(share_as).collect(),
        work: works.fold(DecisionCost::default(), DecisionCost::and),
    }
}
