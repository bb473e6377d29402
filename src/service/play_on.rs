//! Playing on from a position: a new game with dice of its own.

use super::new_game::NewGame;
use super::{
    ClientNetwork, CreatedGame, Credentials, DisplayName, GameCreator, Service, ServiceError,
    Snapshot,
};
use crate::game::Player;
use crate::game_adapters::StartPosition;
use crate::level::Level;
use crate::seats::{SeatOccupant, SeatSpec};
use crate::store::{GameId, GameOrigin};

/// A request to play on from a position.
#[derive(Clone, Debug)]
pub struct PlayOnRequest {
    /// The number of entries before the position.
    pub ply: u32,
    /// The requested occupants; `None` for those of the game.
    pub seat_specs: Option<Vec<SeatSpec>>,
    pub creator: GameCreator,
    pub client_network: Option<ClientNetwork>,
}

impl Service {
    /// Creates a game from a position of this one, which stays unchanged. The caller checks whether the client may see
    /// the game.
    ///
    /// # Errors
    /// If there is no such position, the game is over there, the seats are invalid, the storage quota is exceeded, or
    /// the store fails.
    pub async fn play_on(
        &self,
        id: &GameId,
        credentials: &Credentials,
        order: PlayOnRequest,
    ) -> Result<CreatedGame, ServiceError> {
        let snapshot = self.snapshot(id).await?;
        let Some(stand) = snapshot.live.state_at(order.ply) else {
            return Err(ServiceError::NotSoFar { snapshot });
        };
        let game = snapshot.live.setting();
        let start = StartPosition::Exactly(stand.state.get().to_owned());
        // The game may have been resigned here, while the rules allow it to continue.
        let Some(mover) = game.new_game(&start)?.mover() else {
            return Err(ServiceError::OverThere { snapshot });
        };
        let seat_specs = match order.seat_specs {
            Some(seat_specs) => seat_specs,
            None => snapshot.same_seat_specs(credentials, mover),
        };
        let own = snapshot.seats_of(credentials);
        let name = own
            .first()
            .and_then(|own| snapshot.seat(*own)?.occupant.name());
        let new = NewGame {
            creator: order.creator,
            client_network: order.client_network,
            name: name.and_then(|name| DisplayName::optional(name).ok().flatten()),
            private: snapshot.private,
            origin: Some(GameOrigin::PlayedOn {
                of: snapshot.id.clone(),
                ply: order.ply,
            }),
            ..NewGame::of(game, start, seat_specs)
        };
        self.create(new).await
    }
}

impl Snapshot {
    /// The seats of a game that continues this one. The client keeps their seats; a client without one gets the first
    /// non-computer seat, or plays for `mover`. Computers stay, and replace all other players.
    fn same_seat_specs(&self, credentials: &Credentials, mover: Player) -> Vec<SeatSpec> {
        let all = || Player::all(self.live.players()).zip(&self.seats.seats);
        let is_level = |occupant: &SeatOccupant| matches!(occupant, SeatOccupant::Level { .. });
        let mut own = self.seats_of(credentials);
        if own.is_empty() {
            let free = all().find(|(_, seat)| !is_level(&seat.occupant));
            let is_known = !self.is_uploaded();
            own.push(
                free.filter(|_| is_known)
                    .map_or(mover, |(player, _)| player),
            );
        }
        let word = |player: Player, occupant: &SeatOccupant| match occupant {
            _ if own.contains(&player) => SeatSpec::Human,
            SeatOccupant::Level { level, .. } => SeatSpec::Level(level.plays()),
            SeatOccupant::Open { .. }
            | SeatOccupant::Person { .. }
            | SeatOccupant::Program { .. } => {
                let told = self.uploaded_name_of(player).and_then(|sat| sat.level);
                SeatSpec::Level(told.unwrap_or(Level::Book).into())
            }
        };
        all()
            .map(|(player, seat)| word(player, &seat.occupant))
            .collect()
    }
}
