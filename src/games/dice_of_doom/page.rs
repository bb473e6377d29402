//! The pages of Dice of Doom.

use maud::Markup;

use super::move_options::{self, AttackSelection, hex, hex_message, no_such_hex};
use super::result_text;
use crate::game::Player;
use crate::games::form::FormFields;
use crate::games::page::{
    BoardPage, FormError, GameEnd, GameProgress, MoveOptions, MoveOptionsRequest,
};
use crate::templates::dice_of_doom::{self, HexBoardView, HexView};
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::tree::GameTree;
use dice_of_doom_games::dice_of_doom::{
    Action, DiceOfDoom, Hex, IllegalActionError, Position, Rules,
};

/// Whether the rules award reinforcements for the largest cluster.
pub(super) fn pays_for_clusters(rules: Rules) -> bool {
    matches!(rules, Rules::V4 | Rules::Conquest)
}

impl BoardPage for DiceOfDoom {
    type BoardView = HexBoardView;
    type Selection = AttackSelection;

    const TITLE_KEY: &'static str = "site-name";
    const POSITION: &'static [(&'static str, &'static str)] = &[
        ("board", "dice-field-board"),
        ("neighbors", "dice-field-neighbors"),
        ("player", "dice-field-player"),
        ("spare", "dice-field-spare"),
        ("first_move", "dice-field-first-move"),
        ("quiet", "dice-field-quiet"),
        ("path", "dice-field-path"),
    ];

    fn preview(&self, position: &Position) -> HexBoardView {
        let hexes = self.all_hexes().map(|hex| HexView {
            owner: position.owner(hex).number(),
            dice: position.dice(hex),
            ..HexView::default()
        });
        HexBoardView {
            side: self.side(),
            max_dice: self.max_dice(),
            hexes: hexes.collect(),
            last_attack: None,
            attack_to_confirm: None,
            hint_arrows: Vec::new(),
            mentioned: None,
        }
    }

    fn select(
        tree: &impl GameTree<Game = Self>,
        query: &FormFields,
    ) -> Result<AttackSelection, FormError> {
        move_options::parse_selection(tree, query)
    }

    fn add_move_links(
        tree: &impl GameTree<Game = Self>,
        request: &MoveOptionsRequest<'_, AttackSelection>,
        board: &mut HexBoardView,
    ) -> MoveOptions {
        move_options::add_move_links(tree, request, board)
    }

    fn parse_action_form(&self, form: &FormFields) -> Result<Action, FormError> {
        form.has_only(&["ply", "pass", "from", "to"])?;
        let pass = form.single("pass")?.is_some();
        let (from, to) = (form.number("from")?, form.number("to")?);
        match (pass, from, to) {
            (true, None, None) => Ok(Action::EndTurn),
            (false, Some(from), Some(to)) => Ok(Action::Attack {
                from: hex(self, from)?,
                to: hex(self, to)?,
            }),
            _ => Err(FormError::Invalid(
                "a ply is a pass, or an attack with from and to".to_owned(),
            )),
        }
    }

    fn description(&self) -> LocalizedMessage {
        LocalizedMessage::new("numbers-dice")
            .with_value("rules", self.rules().name())
            .with_value("side", self.side())
            .with_value("players", self.players())
    }

    fn progress_label(&self, now: &GameProgress) -> LocalizedMessage {
        let message = if now.is_over() {
            LocalizedMessage::new("card-plies").with_value("plies", now.plies)
        } else {
            LocalizedMessage::new("card-turn").with_value("turn", now.turn)
        };
        message
            .with_value("rules", self.rules().name())
            .with_value("side", self.side())
    }

    fn winner_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage {
        result_text::winner_text(self, end)
    }

    fn player_result_text(
        &self,
        end: &GameEnd<'_, Self>,
        player: Player,
    ) -> Option<LocalizedMessage> {
        result_text::player_result_text(self, end, player)
    }

    fn end_reason_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage {
        result_text::end_reason_text(self, end)
    }

    fn action_text(&self, position: &Position, action: Action) -> LocalizedMessage {
        match action {
            Action::EndTurn => LocalizedMessage::new("review-end-turn"),
            Action::Attack { from, to } => LocalizedMessage::new("review-attack")
                .with_value("attack", position.dice(from))
                .with_value("defend", position.dice(to))
                .with_value("from", from.number())
                .with_value("to", to.number()),
        }
    }

    fn illegal_action_text(error: &IllegalActionError) -> LocalizedMessage {
        match *error {
            IllegalActionError::GameOver => LocalizedMessage::new("notice-over"),
            IllegalActionError::NoSuchHex { .. } => no_such_hex(),
            IllegalActionError::NotYourHex { hex } => hex_message("notice-not-your-hex", hex),
            IllegalActionError::OneDie { hex } => hex_message("notice-one-die", hex),
            IllegalActionError::NotNeighbours { from, to } => {
                LocalizedMessage::new("notice-not-neighbours")
                    .with_value("from", from.number())
                    .with_value("to", to.number())
            }
            IllegalActionError::OwnTarget { to } => {
                LocalizedMessage::new("notice-own-target").with_value("to", to.number())
            }
            IllegalActionError::TooFewDice { from, to } => LocalizedMessage::new("notice-too-few")
                .with_value("from", from.number())
                .with_value("to", to.number()),
            IllegalActionError::NothingToPass => LocalizedMessage::new("notice-nothing-to-pass"),
        }
    }

    fn record_error_text(error: &IllegalActionError) -> LocalizedMessage {
        let attack = |key, from: Hex, to: Hex| {
            LocalizedMessage::new(key)
                .with_value("from", from.number())
                .with_value("to", to.number())
        };
        match *error {
            IllegalActionError::GameOver | IllegalActionError::NoSuchHex { .. } => {
                Self::illegal_action_text(error)
            }
            IllegalActionError::NotYourHex { hex } => hex_message("record-not-own-hex", hex),
            IllegalActionError::OneDie { hex } => hex_message("record-one-die", hex),
            IllegalActionError::NotNeighbours { from, to } => {
                attack("record-not-neighbours", from, to)
            }
            IllegalActionError::OwnTarget { to } => {
                LocalizedMessage::new("record-own-target").with_value("to", to.number())
            }
            IllegalActionError::TooFewDice { from, to } => attack("record-too-few", from, to),
            IllegalActionError::NothingToPass => LocalizedMessage::new("record-nothing-to-pass"),
        }
    }

    fn rules_section(text: &Translations) -> Markup {
        dice_of_doom::rules::rules(text)
    }
}

pub(super) fn hex_counts(game: &DiceOfDoom, position: &Position, player: Player) -> Vec<u32> {
    let (hexes, dice) = game.hex_and_dice_count(position, player);
    vec![hexes, dice, game.largest_cluster(position, player)]
}
