//! The form of a new game of Dice of Doom.

use std::sync::Arc;

use crate::game::MAX_PLAYERS;
use crate::games::form::{FormFields, OUT_OF_RANGE, UNKNOWN_CHOICE, complete_seats, level_names};
use crate::games::page::FormError;
use crate::level::AgentProvider;
use crate::templates::dice_of_doom::form::{DiceForm, PresetDefaults};
use crate::templates::message::LocalizedMessage;
use crate::templates::page::Component;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Parameters, Rules, SetupError};

pub(super) fn settings_form(submitted: &FormFields) -> Arc<dyn Component> {
    let rules = submitted.first("rules").filter(|rules| !rules.is_empty());
    Arc::new(DiceForm {
        rules: rules.unwrap_or(Rules::V4.name()).to_owned(),
        size: submitted.redisplayed("size"),
        players: submitted.redisplayed("players"),
        max_dice: submitted.redisplayed("max_dice"),
        seats: complete_seats(&submitted.list("seats"), MAX_PLAYERS as u8),
        seed: submitted.first("seed").unwrap_or_default().to_owned(),
        levels: level_names(DiceOfDoom::LEVELS),
        defaults: Rules::ALL.map(default_parameters).to_vec(),
    })
}

pub(super) fn parse_form(submitted: &FormFields) -> Result<Parameters, FormError> {
    let rules: Option<Rules> = submitted.non_empty("rules", UNKNOWN_CHOICE)?;
    let rules = rules.unwrap_or(Rules::V4);
    let (players, max_dice, side) = rules.defaults();
    Ok(Parameters {
        rules,
        side: submitted.non_empty("size", OUT_OF_RANGE)?.unwrap_or(side),
        players: submitted
            .non_empty("players", OUT_OF_RANGE)?
            .unwrap_or(players),
        max_dice: submitted
            .non_empty("max_dice", OUT_OF_RANGE)?
            .unwrap_or(max_dice),
    })
}

pub(super) fn setup_error_text(error: &SetupError) -> LocalizedMessage {
    LocalizedMessage::new(match error {
        SetupError::NoDeal => "form-problem-deal",
        SetupError::TooFewHexes { .. } => "form-problem-players",
        _ => OUT_OF_RANGE,
    })
}

/// The default parameters of a preset, for the form.
fn default_parameters(rules: Rules) -> PresetDefaults {
    let (players, max_dice, size) = rules.defaults();
    PresetDefaults {
        rules: rules.name(),
        size,
        players,
        max_dice,
    }
}
