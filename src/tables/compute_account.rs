//! Who is charged for the compute time of computers.

use crate::client_network::ClientNetwork;
use crate::secret::SecretHash;

/// The account that is charged for the compute time of a game's computer players.
///
/// It belongs to the game's creator while the game is in memory. For a game resumed from its record the creator's
/// browser is known, if it had one, but not its network: then the first viewer's network is charged. Before that, and
/// for the server's own games, the network is `None`, which is an account like any other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct ComputeAccount {
    pub(crate) client_network: Option<ClientNetwork>,
    pub(crate) creator: Option<SecretHash>,
}
