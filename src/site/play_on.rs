//! Playing on from a position: a new game with dice of its own.

use crate::game::Player;
use crate::games::StartPosition;
use crate::level::Level;
use crate::seats::{Credentials, SeatOccupant, SeatSpec};
use crate::store::{GameId, GameOrigin};
use crate::tables::{
    ClientNetwork, CreatedGame, DisplayName, GameCreator, NewGame, Service, ServiceError, Snapshot,
};

/// A request to play on from a position.
#[derive(Clone, Debug)]
pub(super) struct PlayOnRequest {
    /// The number of entries before the position.
    pub(super) ply: u32,
    /// The requested occupants; `None` for those of the game.
    pub(super) seat_specs: Option<Vec<SeatSpec>>,
    pub(super) creator: GameCreator,
    pub(super) client_network: Option<ClientNetwork>,
}

/// Creates a game from a position of this one, which stays unchanged. The caller checks whether the client may see
/// the game.
///
/// # Errors
/// If there is no such position, the game is over there, the seats are invalid, the storage quota is exceeded, or
/// the store fails.
pub(super) async fn play_on(
    service: &Service,
    id: &GameId,
    credentials: &Credentials,
    request: PlayOnRequest,
) -> Result<CreatedGame, ServiceError> {
    let snapshot = service.snapshot(id).await?;
    let Some(state) = snapshot.live.state_at(request.ply) else {
        return Err(ServiceError::PlyNotReached { snapshot });
    };
    let game = snapshot.live.configured_game();
    let start = StartPosition::Given(state.state.get().to_owned());
    // The game may have been resigned here, while the rules allow it to continue.
    let Some(mover) = game.new_game(&start)?.mover() else {
        return Err(ServiceError::PositionIsOver { snapshot });
    };
    let seat_specs = match request.seat_specs {
        Some(seat_specs) => seat_specs,
        None => same_seat_specs(&snapshot, credentials, mover),
    };
    let own_seats = snapshot.seats_of(credentials);
    let name = own_seats
        .first()
        .and_then(|own| snapshot.seat(*own)?.occupant.name());
    let new = NewGame {
        creator: request.creator,
        client_network: request.client_network,
        name: name.and_then(|name| DisplayName::optional(name).ok().flatten()),
        private: snapshot.private,
        origin: Some(GameOrigin::PlayedOn {
            of: snapshot.id.clone(),
            ply: request.ply,
        }),
        ..NewGame::new(game, start, seat_specs)
    };
    service.create(new).await
}

/// The seats of a game that continues this one. The client keeps their seats; a client without one gets the first
/// non-computer seat, or plays for `mover`. Computers stay, and replace all other players.
fn same_seat_specs(game: &Snapshot, credentials: &Credentials, mover: Player) -> Vec<SeatSpec> {
    let all = || Player::all(game.live.players()).zip(&game.seats.seats);
    let is_level = |occupant: &SeatOccupant| matches!(occupant, SeatOccupant::Level { .. });
    let mut own_seats = game.seats_of(credentials);
    if own_seats.is_empty() {
        let open_or_human = all().find(|(_, seat)| !is_level(&seat.occupant));
        let is_played_here = !game.is_uploaded();
        own_seats.push(
            open_or_human
                .filter(|_| is_played_here)
                .map_or(mover, |(player, _)| player),
        );
    }
    let spec_of = |player: Player, occupant: &SeatOccupant| match occupant {
        _ if own_seats.contains(&player) => SeatSpec::Human,
        SeatOccupant::Level { level, .. } => SeatSpec::Level(level.effective_level()),
        SeatOccupant::Open { .. } | SeatOccupant::Person { .. } | SeatOccupant::Program { .. } => {
            let level = game
                .uploaded_name_of(player)
                .and_then(|player| player.level);
            SeatSpec::Level(level.unwrap_or(Level::Book).into())
        }
    };
    all()
        .map(|(player, seat)| spec_of(player, &seat.occupant))
        .collect()
}
