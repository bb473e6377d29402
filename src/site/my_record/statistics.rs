//! A player's statistics, computed from the summaries of the games.

use crate::day::Day;
use crate::game::{Payoffs, Player};
use crate::games::level_ratings::ratings_for;
use crate::level::Level;
use crate::review::ShareBreakdown;
use crate::seats::{Credentials, OpponentPreset, SeatOccupant};
use crate::tables::GameSummary;

/// The level whose results are expected: a player of its strength wins the expected share.
pub(super) const REFERENCE_LEVEL: Level = Level::Greedy;

/// The number of newest reviewed games of [`PlayerStatistics::recent_accuracy`].
pub(super) const RECENT_GAMES: usize = 20;

/// The opponents in a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::site) enum Opponents {
    /// Computers of a preset; the number orders presets from weak to strong.
    Preset(u8),
    /// Computers of one level, which are no preset.
    Level(Level),
    /// Computers of several levels, which are no preset.
    Mixed,
    /// At least one person or program.
    People,
}

impl Opponents {
    /// The opponents of this player.
    #[must_use]
    pub(super) fn of(game: &GameSummary, player: Player) -> Self {
        let seats = Player::all(game.game.players()).zip(&game.newest.seats.seats);
        let others = seats.filter(|(other, _)| *other != player);
        let others: Vec<&SeatOccupant> = others.map(|(_, seat)| &seat.occupant).collect();
        let mut levels = Vec::with_capacity(others.len());
        for other in &others {
            match other {
                SeatOccupant::Level {
                    level,
                    replaced: None,
                } => levels.push(level.effective_level().level),
                _ => return Opponents::People,
            }
        }
        let occupants = game.newest.seats.seats.iter().map(|seat| &seat.occupant);
        if let Some(preset) = OpponentPreset::recognise(occupants) {
            let number = OpponentPreset::ALL
                .iter()
                .position(|known| *known == preset);
            return Opponents::Preset(number.and_then(|n| n.try_into().ok()).unwrap_or(0));
        }
        match levels.split_first() {
            Some((first, others)) if others.iter().all(|other| other == first) => {
                Opponents::Level(*first)
            }
            _ => Opponents::Mixed,
        }
    }

    /// The name in forms: of the preset or the level, `mixed` or `people`.
    #[must_use]
    pub(in crate::site) fn name(self) -> &'static str {
        match self {
            Opponents::Preset(number) => OpponentPreset::ALL
                .get(usize::from(number))
                .map_or("", |preset| preset.name()),
            Opponents::Level(level) => level.name(),
            Opponents::Mixed => "mixed",
            Opponents::People => "people",
        }
    }
}

/// The result of a player's finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::site) enum OwnResult {
    Won,
    /// Several players won, or nobody.
    Tied,
    Lost,
}

impl OwnResult {
    /// The name in forms.
    #[must_use]
    pub(super) const fn name(self) -> &'static str {
        match self {
            OwnResult::Won => "won",
            OwnResult::Tied => "tied",
            OwnResult::Lost => "lost",
        }
    }
}

/// A client's finished game.
#[derive(Clone, Copy, Debug)]
pub(in crate::site) struct FinishedGame<'g> {
    pub(in crate::site) summary: &'g GameSummary,
    pub(super) player: Player,
    pub(in crate::site) opponents: Opponents,
    pub(in crate::site) result: OwnResult,
    /// The [win share](Payoffs::win_share); 0 if the client left the game.
    pub(super) share: f64,
    /// What the review says about the client, if the game is reviewed.
    pub(super) review: Option<ShareBreakdown>,
}

impl<'g> FinishedGame<'g> {
    /// The client's result in a game that it has played to the end with one seat; uploaded games do not count.
    #[must_use]
    pub(in crate::site) fn new(
        summary: &'g GameSummary,
        credentials: &Credentials,
    ) -> Option<Self> {
        let winners = summary
            .winners
            .as_ref()
            .filter(|_| !summary.newest.is_uploaded())?;
        let own = summary.own_seat(credentials)?;
        let payoffs = Payoffs::for_winners(winners.iter().copied().collect());
        let share = match own.has_left {
            true => 0.0,
            false => payoffs.win_share(own.player),
        };
        let result = match winners.len() {
            _ if share == 0.0 => OwnResult::Lost,
            1 => OwnResult::Won,
            _ => OwnResult::Tied,
        };
        Some(FinishedGame {
            summary,
            player: own.player,
            opponents: Opponents::of(summary, own.player),
            result,
            share,
            review: None,
        })
    }

    /// The share that a player of [`REFERENCE_LEVEL`] wins against these opponents, from the measured ratings;
    /// against people one in the number of players. `None` if the game has not been measured.
    #[must_use]
    pub(super) fn expected_share(&self) -> Option<f64> {
        if self.opponents == Opponents::People {
            return Some(1.0 / f64::from(self.summary.game.players()));
        }
        let ratings = ratings_for(&*self.summary.game)?;
        let weight = |level| {
            let rating = ratings.level_rating(level)?.rating?.mean;
            Some(10_f64.powf(rating / 400.0))
        };
        let own = weight(REFERENCE_LEVEL)?;
        let mut total = own;
        let seats = Player::all(self.summary.game.players()).zip(&self.summary.newest.seats.seats);
        for (player, seat) in seats {
            if player == self.player {
                continue;
            }
            if let SeatOccupant::Level { level, .. } = &seat.occupant {
                total += weight(level.effective_level().level)?;
            }
        }
        Some(own / total)
    }
}

/// Wins against the same opponents.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct OpponentResults {
    pub(super) opponents: Opponents,
    pub(super) games: u32,
    /// The mean part of a win, 0..=1.
    pub(super) share: f64,
    /// The mean expected share; `None` if not all of the games have been measured.
    pub(super) expected: Option<f64>,
}

/// What the reviews of a month's games say; means over these games.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct MonthReviews {
    /// Such as `2026-11`.
    pub(super) month: String,
    pub(super) games: u32,
    /// The change of the win share by the luck of the own dice.
    pub(super) luck: f64,
    /// The change of the win share by the own decisions; never positive.
    pub(super) decisions: f64,
    /// 0..=1.
    pub(super) accuracy: f64,
}

/// A player's statistics.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct PlayerStatistics {
    pub(super) games: u32,
    /// Games without another winner.
    pub(super) won: u32,
    /// The mean part of a win, 0..=1.
    pub(super) share: f64,
    /// The mean expected share; `None` if not all games have been measured.
    pub(super) expected: Option<f64>,
    pub(super) by_opponents: Vec<OpponentResults>,
    /// The number of reviewed games.
    pub(super) reviewed: u32,
    /// The mean accuracy of the newest reviewed games; `None` without any.
    pub(super) recent_accuracy: Option<f64>,
    /// The months with reviewed games, oldest first.
    pub(super) months: Vec<MonthReviews>,
}

impl PlayerStatistics {
    /// The statistics of these games, newest first.
    #[must_use]
    pub(super) fn new(games: &[FinishedGame<'_>]) -> Self {
        let mut by_opponents: Vec<Opponents> = games.iter().map(|game| game.opponents).collect();
        by_opponents.sort_unstable();
        by_opponents.dedup();
        let reviews: Vec<_> = games
            .iter()
            .filter_map(|game| Some((game, game.review.as_ref()?)))
            .collect();
        let mut months: Vec<String> = reviews
            .iter()
            .map(|(game, _)| month_of(game.summary))
            .collect();
        months.sort_unstable();
        months.dedup();
        let months = months.into_iter().map(|month| {
            let of_month = reviews
                .iter()
                .filter(|(game, _)| month_of(game.summary) == month);
            let parts: Vec<_> = of_month.map(|(_, review)| *review).collect();
            MonthReviews {
                games: parts.len() as u32,
                luck: mean(parts.iter().map(|part| part.own_luck)),
                decisions: mean(parts.iter().map(|part| part.own_decisions)),
                accuracy: mean(parts.iter().map(|part| part.accuracy)),
                month,
            }
        });
        let months = months.collect();
        let recent = reviews.iter().take(RECENT_GAMES);
        let won = games.iter().filter(|game| game.result == OwnResult::Won);
        PlayerStatistics {
            games: games.len() as u32,
            won: won.count() as u32,
            share: mean(games.iter().map(|game| game.share)),
            expected: mean_expected(games.iter()),
            by_opponents: by_opponents
                .into_iter()
                .map(|opponents| {
                    let same = || games.iter().filter(move |game| game.opponents == opponents);
                    OpponentResults {
                        opponents,
                        games: same().count() as u32,
                        share: mean(same().map(|game| game.share)),
                        expected: mean_expected(same()),
                    }
                })
                .collect(),
            reviewed: reviews.len() as u32,
            recent_accuracy: (!reviews.is_empty())
                .then(|| mean(recent.map(|(_, review)| review.accuracy))),
            months,
        }
    }
}

/// The month of a game's last entry, such as `2026-11`.
#[must_use]
pub(super) fn month_of(game: &GameSummary) -> String {
    let mut day = Day::of_ms(game.last_ms).to_string();
    day.truncate("2026-11".len());
    day
}

fn mean_expected<'g>(games: impl Iterator<Item = &'g FinishedGame<'g>>) -> Option<f64> {
    let shares: Option<Vec<f64>> = games.map(FinishedGame::expected_share).collect();
    shares
        .filter(|shares| !shares.is_empty())
        .map(|shares| mean(shares.into_iter()))
}

/// The mean; 0 without numbers.
fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| {
        (sum + number, count + 1.0)
    });
    if count > 0.0 { sum / count } else { 0.0 }
}
