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
                "The rules: those of the book's four versions, or a house's own (`conquest`), which \
                 go on until one player has every hex, or everybody has ended a turn without an attack.",
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

/// The numbers of a game.
#[derive(Clone, Debug, ToSchema)]
pub struct DiceParametersJson {
    /// The rules.
    #[schema(value_type = RulesName)]
    pub rules: String,
    /// Hexes along each side: the board has `size` rows of `size` hexes.
    pub size: u8,
    /// How many players there are.
    pub players: u8,
    /// The most dice on a hex.
    pub max_dice: u8,
}

/// A position of Dice of Doom. Hexes are numbered from 0, row by row from the top, so hex h lies in row
/// h / size and column h % size. Each row lies half a hex further left than the row above it: a hex touches
/// h - size - 1 and h - size above it, h - 1 and h + 1 beside it, h + size and h + size + 1 below it, as far
/// as those are on the board and in that row; `neighbors` of a game lists them. An attack goes from a hex
/// of the mover to a neighbor of somebody else's that has fewer dice, or, where dice are rolled, from any
/// hex with at least two dice.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = DiceState)]
pub struct DiceStateJson {
    /// `[owner, dice]` of every hex, from hex 0 on.
    #[schema(value_type = Vec<PairSchema>, inline)]
    pub board: Vec<[u8; 2]>,
    /// Whose turn it is, counted from 0.
    #[schema(maximum = 5)]
    pub player: u8,
    /// The dice that stood on the hexes attacked in this turn; the book's first versions count them when
    /// the turn ends and reinforcements are given.
    #[schema(maximum = 65535)]
    pub spare: u16,
    /// Whether the mover has not attacked yet in this turn; then the turn cannot end, but in `conquest`.
    pub first_move: bool,
    /// Turns in a row that ended without an attack: too many of them end a game of `conquest`. Only there,
    /// and 0 where it is left out.
    #[schema(maximum = 255)]
    pub quiet: Option<u8>,
}

/// The board under all positions of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
pub struct DiceLayoutJson {
    /// The neighbors of every hex, from hex 0 on.
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
