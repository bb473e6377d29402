//! Named sets of opponent levels, for players who do not know the levels.
//!
//! The name is not stored: it is recognised from the levels at a table.

use std::str::FromStr;

use super::{RematchKind, SeatOccupant, SeatSpec};
use crate::level::{Level, LevelSpec};

/// The computer players of an easier or harder rematch, and their preset name, if any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RematchLevels {
    /// One per computer player, in seat order.
    pub levels: Vec<Level>,
    pub name: Option<OpponentPreset>,
}

impl RematchLevels {
    /// The computer players of a rematch of this kind. A preset is followed by the next weaker or stronger preset;
    /// otherwise each level changes by one step where possible. `None` if no level can change, and for the other kinds
    /// of rematch. `game_levels` are those of the game.
    pub fn for_rematch<'a>(
        occupants: impl IntoIterator<Item = &'a SeatOccupant> + Clone,
        kind: RematchKind,
        game_levels: &[Level],
    ) -> Option<RematchLevels> {
        let named = OpponentPreset::recognise(occupants.clone());
        let levels = occupants.into_iter().filter_map(|occupant| match occupant {
            SeatOccupant::Level { level, .. } => Some(level.effective_level().level),
            _ => None,
        });
        let levels: Vec<Level> = levels.collect();
        let next = match (named, kind) {
            (_, RematchKind::New | RematchKind::Same) => return None,
            (Some(OpponentPreset::Easy), RematchKind::Easier) => return None,
            (Some(OpponentPreset::Medium), RematchKind::Easier) => Some(OpponentPreset::Easy),
            (Some(OpponentPreset::Easy), RematchKind::Harder) => Some(OpponentPreset::Medium),
            (Some(OpponentPreset::Hard), RematchKind::Easier) => Some(OpponentPreset::Medium),
            (Some(OpponentPreset::Medium), RematchKind::Harder) => Some(OpponentPreset::Hard),
            (Some(OpponentPreset::Hard), RematchKind::Harder) | (None, _) => None,
        };
        if let Some(name) = next {
            let cycle = name.levels().iter().copied().cycle();
            return Some(RematchLevels {
                levels: cycle.take(levels.len()).collect(),
                name: Some(name),
            });
        }
        let step = |level: &Level| match kind {
            RematchKind::Harder => level.stronger(game_levels),
            _ => level.weaker(game_levels),
        };
        let steps = levels.iter().map(|level| step(level).unwrap_or(*level));
        let steps: Vec<Level> = steps.collect();
        (steps != levels).then_some(RematchLevels {
            levels: steps,
            name: None,
        })
    }
}

/// The difficulty of the computer players in a first game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpponentPreset {
    /// Beatable by a beginner.
    Easy,
    /// Some attack when the odds are good.
    Medium,
    /// All know the odds, and one evaluates the whole board.
    Hard,
}

impl OpponentPreset {
    /// All presets, weakest first.
    pub const ALL: [OpponentPreset; 3] = [
        OpponentPreset::Easy,
        OpponentPreset::Medium,
        OpponentPreset::Hard,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            OpponentPreset::Easy => "easy",
            OpponentPreset::Medium => "medium",
            OpponentPreset::Hard => "hard",
        }
    }

    /// The levels, assigned to the seats cyclically.
    pub(crate) const fn levels(self) -> &'static [Level] {
        match self {
            OpponentPreset::Easy => &[Level::Novice],
            OpponentPreset::Medium => &[Level::Greedy, Level::Book, Level::Book],
            OpponentPreset::Hard => &[Level::Steady, Level::Greedy, Level::Greedy],
        }
    }

    /// The seats of a game: a person in the first one, these opponents in the others.
    ///
    /// ```
    /// use dice_of_doom::level::Level;
    /// use dice_of_doom::seats::{OpponentPreset, SeatSpec};
    ///
    /// let seats: Vec<_> = OpponentPreset::Hard.seats(3).collect();
    /// let [steady, greedy] = [Level::Steady, Level::Greedy].map(|level| SeatSpec::Level(level.into()));
    /// assert_eq!(seats, [SeatSpec::Human, steady, greedy]);
    /// ```
    pub fn seats(self, players: u8) -> impl Iterator<Item = SeatSpec> {
        let levels = self.levels().iter().cycle();
        let levels = levels.map(|level| SeatSpec::Level((*level).into()));
        let seats = [SeatSpec::Human].into_iter().chain(levels);
        seats.take(usize::from(players))
    }

    /// The preset of the computer players at a table, in any order, since a rematch may rotate the seats. `None` if
    /// there is none, or no person plays.
    pub fn recognise<'a>(
        occupants: impl IntoIterator<Item = &'a SeatOccupant>,
    ) -> Option<OpponentPreset> {
        let mut has_person = false;
        let mut levels: Vec<LevelSpec> = Vec::new();
        for occupant in occupants {
            match occupant {
                SeatOccupant::Level { level, .. } => levels.push(level.effective_level()),
                _ => has_person = true,
            }
        }
        levels.sort_unstable();
        let mut named = OpponentPreset::ALL.into_iter();
        named
            .find(|opponents| has_person && !levels.is_empty() && opponents.matches_levels(&levels))
    }

    /// Whether these levels, weakest first, are this preset's levels for as many opponents.
    fn matches_levels(self, levels: &[LevelSpec]) -> bool {
        let own = self.levels().iter().cycle().take(levels.len());
        let mut own: Vec<LevelSpec> = own.map(|level| (*level).into()).collect();
        own.sort_unstable();
        own == levels
    }
}

/// No preset has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("opponents are easy, medium or hard")]
pub struct OpponentPresetError;

impl FromStr for OpponentPreset {
    type Err = OpponentPresetError;

    fn from_str(name: &str) -> Result<Self, OpponentPresetError> {
        let mut all = OpponentPreset::ALL.into_iter();
        all.find(|opponents| opponents.name() == name)
            .ok_or(OpponentPresetError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seats::{PersonCredentials, Seat};
    use crate::secret::Secret;

    fn person() -> SeatOccupant {
        let credentials = PersonCredentials {
            browser: Secret::random().hash(),
            return_link: None,
            joined_by: None,
        };
        SeatOccupant::Person {
            credentials,
            name: None,
        }
    }

    fn occupied_seats(words: impl Iterator<Item = SeatSpec>) -> Vec<Seat> {
        let occupants = words.map(|word| match word {
            SeatSpec::Level(level) => SeatOccupant::level(level),
            _ => person(),
        });
        occupants
            .map(|occupant| Seat {
                occupant,
                since_ms: None,
            })
            .collect()
    }

    #[test]
    fn a_preset_is_recognised_in_any_seat_order() {
        for opponents in OpponentPreset::ALL {
            assert_eq!(opponents.name().parse(), Ok(opponents));
            for players in 2..=6 {
                let mut seats = occupied_seats(opponents.seats(players));
                assert_eq!(seats.len(), usize::from(players));
                for _ in 0..players {
                    let found = OpponentPreset::recognise(seats.iter().map(|seat| &seat.occupant));
                    assert_eq!(found, Some(opponents), "{players} players");
                    seats.rotate_right(1);
                }
            }
        }
    }

    #[test]
    fn other_levels_are_no_preset() {
        let level = |level: Level| SeatSpec::Level(level.into());
        let tables = [
            vec![SeatSpec::Human, SeatSpec::Human],
            vec![level(Level::Expert), level(Level::Expert)],
            vec![SeatSpec::Human, level(Level::Book), level(Level::Book)],
            vec![SeatSpec::Human, level(Level::Expert), level(Level::Greedy)],
        ];
        for table in tables {
            let seats = occupied_seats(table.into_iter());
            assert_eq!(
                OpponentPreset::recognise(seats.iter().map(|seat| &seat.occupant)),
                None
            );
        }
        assert_eq!("book".parse::<OpponentPreset>(), Err(OpponentPresetError));
    }
}
