//! Playing on: a new game from a position of another one, with dice of its own.

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

/// The order to play on from a position.
#[derive(Clone, Debug)]
pub struct PlayOnRequest {
    /// Plies played before the position.
    pub ply: u32,
    /// Who is to sit where; the same as in the game, where nobody is named.
    pub sitters: Option<Vec<SeatSpec>>,
    /// Who sets it up.
    pub creator: GameCreator,
    /// From which network, where it is known.
    pub household: Option<ClientNetwork>,
}

impl Service {
    /// A new game from a position of this one, whoever may see it; the game itself stays as it is.
    ///
    /// # Errors
    /// When there is no such position, the rules end the game there, the seats do not fit, there is no
    /// room, or the archive fails.
    pub async fn play_on(
        &self,
        id: &GameId,
        claim: &Credentials,
        order: PlayOnRequest,
    ) -> Result<CreatedGame, ServiceError> {
        let snapshot = self.snapshot(id).await?;
        let Some(stand) = snapshot.live.stand(order.ply) else {
            return Err(ServiceError::NotSoFar { snapshot });
        };
        let game = snapshot.live.setting();
        let start = StartPosition::Exactly(stand.state.get().to_owned());
        // Somebody may have given up here, while the rules would go on.
        let Some(mover) = game.begin(&start)?.mover() else {
            return Err(ServiceError::OverThere { snapshot });
        };
        let sitters = match order.sitters {
            Some(sitters) => sitters,
            None => snapshot.same_sitters(claim, mover),
        };
        let own = snapshot.seats_of(claim);
        let name = own
            .first()
            .and_then(|own| snapshot.seat(*own)?.sitter.name());
        let new = NewGame {
            creator: order.creator,
            household: order.household,
            name: name.and_then(|name| DisplayName::optional(name).ok().flatten()),
            private: snapshot.private,
            origin: Some(GameOrigin::PlayedOn {
                of: snapshot.id.clone(),
                ply: order.ply,
            }),
            ..NewGame::of(game, start, sitters)
        };
        self.create(new).await
    }
}

impl Snapshot {
    /// The seats of a game that goes on from this one. Whoever asks keeps their seats; who has none gets
    /// the first one that no computer has, or plays for `mover`. Computers stay, and one plays for
    /// everybody else.
    fn same_sitters(&self, claim: &Credentials, mover: Player) -> Vec<SeatSpec> {
        let all = || Player::all(self.live.players()).zip(&self.seats.seats);
        let is_level = |sitter: &SeatOccupant| matches!(sitter, SeatOccupant::Level { .. });
        let mut own = self.seats_of(claim);
        if own.is_empty() {
            let free = all().find(|(_, seat)| !is_level(&seat.sitter));
            let is_known = !self.is_uploaded();
            own.push(
                free.filter(|_| is_known)
                    .map_or(mover, |(player, _)| player),
            );
        }
        let word = |player: Player, sitter: &SeatOccupant| match sitter {
            _ if own.contains(&player) => SeatSpec::Human,
            SeatOccupant::Level { level, .. } => SeatSpec::Level(level.plays()),
            SeatOccupant::Open { .. }
            | SeatOccupant::Person { .. }
            | SeatOccupant::Program { .. } => {
                let told = self.told_of(player).and_then(|sat| sat.level);
                SeatSpec::Level(told.unwrap_or(Level::Book).into())
            }
        };
        all()
            .map(|(player, seat)| word(player, &seat.sitter))
            .collect()
    }
}
