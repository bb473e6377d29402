//! What the implementation of a game imports: the traits of the rules and of the adapters, and the types of their
//! defaults.

pub use super::terminal::ColourMode;
pub use super::{
    BoardPage, EngineAdapter, FormError, FormFields, GameFlag, GamePages, RegistrableGame,
    TerminalAdapter,
};
pub use crate::formats::{
    ActionFieldsError, ActionListJson, FieldError, GameFormat, JsonFields, NoFields,
};
pub use crate::game::{Game, NoDice, Payoffs, Player, PlayerSet, RecordableGame, Status};
pub use crate::level::{Agent, AgentProvider, Level, RandomAgent};
pub use crate::record::{Ply, ReplayedPly};
pub use crate::serialization::SerializableGame;
pub use crate::templates::TextBoard;
pub use crate::tree::GameTree;
pub use rand::Rng;
pub use serde::{Deserialize, Serialize};
