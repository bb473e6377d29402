//! OpenAPI schemas of the types that the rules of Dice of Doom serialize: parameters and positions; also of the
//! board's layout.

use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::games::dice_of_doom::{DiceOfDoom, Rules};

/// How the document describes [`Rules`].
pub(super) struct RulesName;

impl PartialSchema for RulesName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "The rules. `v1` to `v4` are those of Land of Lisp: without dice in `v1` to `v3`, with dice \
                 in `v4`. `conquest` is `v4` until one player has all hexes, or until many turns in a row \
                 have ended without an attack.",
            ))
            .enum_values(Some(Rules::ALL.map(Rules::name)))
            .into()
    }
}

impl ToSchema for RulesName {}

/// How the document describes two small numbers.
pub(super) struct PairSchema;

impl PartialSchema for PairSchema {
    fn schema() -> RefOr<Schema> {
        let pair = ArrayBuilder::new().items(u8::schema());
        pair.min_items(Some(2)).max_items(Some(2)).into()
    }
}

impl ToSchema for PairSchema {}

/// The parameters of a game.
#[derive(Clone, Debug, ToSchema)]
pub struct DiceParametersJson {
    /// The rules.
    #[schema(value_type = RulesName)]
    pub rules: String,
    /// The number of hexes along a side: the board has `size` rows of `size` hexes.
    pub size: u8,
    /// The number of players.
    pub players: u8,
    /// The maximum number of dice on a hex.
    pub max_dice: u8,
}

/// A position of Dice of Doom. Hexes are numbered from 0, row by row from the top: hex h is in row h / size and column
/// h % size. Each row is half a hex further left than the row above it, so a hex has up to six neighbors: h - size - 1
/// and h - size in the row above, h - 1 and h + 1 in its own row, h + size and h + size + 1 in the row below, if they
/// are on the board and in that row. `neighbors` of a game lists them.
///
/// An attack goes from a hex of the player to move to a neighbor of another player: with `v4` and `conquest` from at
/// least two dice, with `v1` to `v3` from more dice than the neighbor has.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = DiceState)]
pub struct DiceStateJson {
    /// `[owner, dice]` of each hex, from hex 0.
    #[schema(value_type = Vec<PairSchema>, inline)]
    pub board: Vec<[u8; 2]>,
    /// The player to move, counted from 0.
    #[schema(maximum = 5)]
    pub player: u8,
    /// The dice that stood on the hexes attacked in this turn. With `v1` to `v3` the player gets `spare` - 1 dice at
    /// the end of the turn.
    #[schema(maximum = 65535)]
    pub spare: u16,
    /// Whether the player to move has not attacked yet in this turn. The turn cannot be ended then, except in
    /// `conquest`.
    pub first_move: bool,
    /// Only in `conquest`: the number of turns in a row that ended without an attack. The game is over at eight for
    /// each player who has hexes. Default: 0.
    #[schema(maximum = 255)]
    pub quiet: Option<u8>,
}

/// The constant part of the board.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
pub struct DiceLayoutJson {
    /// The neighbors of each hex, from hex 0.
    neighbors: Vec<Vec<u8>>,
}

impl DiceLayoutJson {
    /// The board of a game.
    pub(super) fn from_game(game: &DiceOfDoom) -> Self {
        let hexes = (0..game.hexes()).filter_map(|number| game.hex(number));
        let around = hexes.map(|hex| {
            let around = game.neighbours(hex).iter();
            around.map(|hex| hex.number()).collect()
        });
        DiceLayoutJson {
            neighbors: around.collect(),
        }
    }
}
