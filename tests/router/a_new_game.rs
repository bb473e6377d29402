//! A third game, registered from one file through public traits alone, works in every part of the program without a
//! change in `src`.
//!
//! The game is Pig (John Scarne, 1945) for three players. On each turn the mover rolls a die any number of times.
//! Each face is added to the turn's total, but a 1 discards the total and ends the turn; a player who holds adds the
//! total to their score. The first player to reach the goal wins.
//!
//! The file first defines the game, then tests it in the engine, the command line, the terminal, the arena, the
//! pages, the JSON API, the event stream and the store. The contract tests of all games come last.

use std::path::Path;
use std::sync::Arc;

use crate::common::{Person, Server, ServerConfig, Table, number, problem, sent_plies};
use crate::contract;
use dice_of_doom::arena::{ArenaProgress, ArenaReport};
use dice_of_doom::cli::{Cli, CliCommand};
use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::formats::JsonFields;
use dice_of_doom::game::{Game as _, Payoffs};
use dice_of_doom::games::Registry;
use dice_of_doom::games::terminal::ColourMode;
use dice_of_doom::level::{AgentRng, Level, RandomAgent};
use dice_of_doom::serialization::SerializableGame as _;
use dice_of_doom::site::OPENAPI;
use dice_of_doom::store::Store;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::templates::Language;
use dice_of_doom::terminal::{TerminalGame, TerminalSeat};
use reqwest::Response;
use serde_json::{Value, json};

use pig::Pig;

fn games() -> Registry {
    Registry::builtin().with_game::<Pig>()
}

/// The game: rules, agents and adapters.
mod pig {
    use std::fmt;
    use std::str::FromStr;

    use std::sync::Arc;

    use dice_of_doom::games::engine::{RateError, SearchRequest};
    use dice_of_doom::games::form::SettingsForm;
    use dice_of_doom::games::log::{LogPage, PlyDescription};
    use dice_of_doom::games::page::{
        GameEnd, MoveOptions, MoveOptionsRequest, PlayerCounts, StartOffer,
    };
    use dice_of_doom::games::prelude::*;
    use dice_of_doom::level::{AgentRng, ChosenAction, ChosenActionOf, SearchLimit};
    use dice_of_doom::search::{SearchResult, StaticEvaluation, StopToken, expectimax};
    use dice_of_doom::templates::BoardComponent;
    use dice_of_doom::templates::controls::{Button, ButtonList};
    use dice_of_doom::templates::localization::Translations;
    use dice_of_doom::templates::message::LocalizedMessage;
    use dice_of_doom::templates::page::Component;
    use dice_of_doom::templates::players::CountColumns;
    use dice_of_doom::templates::players::PlayerNames;
    use dice_of_doom::templates::preferences::DisplayOptions;
    use dice_of_doom::templates::prompt::MovePrompt;
    use dice_of_doom::tree::{Budget, LazyTree};
    use maud::{Markup, html};
    use rand::RngExt;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct Pig {
        goal: u8,
    }

    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub(crate) struct Position {
        scores: [u8; 3],
        gathered: u8,
        mover: Player,
    }

    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub(crate) enum Action {
        Roll,
        Hold,
    }

    /// The face of the die, or `None` for an action without a roll.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct Face(Option<u8>);

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct Parameters {
        goal: u8,
    }

    #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct Setup {
        scores: [u8; 3],
        gathered: u8,
        player: u8,
    }

    #[derive(Debug, thiserror::Error)]
    pub(crate) enum SetupError {
        #[error("the goal is a number from 2 to 100")]
        Goal,
        #[error("nobody can have so much, or be that player")]
        Position,
    }

    #[derive(Debug, thiserror::Error)]
    pub(crate) enum Refusal {
        #[error("roll before you hold")]
        NothingToHold,
        #[error("that is enough: hold")]
        Enough,
        #[error("the game is over")]
        Over,
    }

    impl Pig {
        fn wins(self, position: &Position, player: Player) -> bool {
            position.scores[usize::from(player.number())] >= self.goal
        }

        fn after(self, position: &Position, player: Player) -> u8 {
            position.scores[usize::from(player.number())] + position.gathered
        }
    }

    impl fmt::Display for Action {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                Action::Roll => "roll",
                Action::Hold => "hold",
            })
        }
    }

    #[derive(Debug)]
    pub(crate) struct NoNotation;

    impl FromStr for Action {
        type Err = NoNotation;
        fn from_str(text: &str) -> Result<Self, NoNotation> {
            match text {
                "roll" => Ok(Action::Roll),
                "hold" => Ok(Action::Hold),
                _ => Err(NoNotation),
            }
        }
    }

    impl fmt::Display for Face {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.map_or(Ok(()), |face| write!(f, "{face}"))
        }
    }

    impl FromStr for Face {
        type Err = NoNotation;
        fn from_str(text: &str) -> Result<Self, NoNotation> {
            if text.is_empty() {
                return Ok(Face(None));
            }
            text.parse()
                .map(|face| Face(Some(face)))
                .map_err(|_| NoNotation)
        }
    }

    impl Game for Pig {
        type Position = Position;
        type Action = Action;
        type Outcome = Face;

        fn players(&self) -> u8 {
            3
        }

        fn status(&self, position: &Position) -> Status {
            let winners: PlayerSet = Player::all(3)
                .filter(|&player| self.wins(position, player))
                .collect();
            match winners.count() {
                0 => Status::Turn(position.mover),
                _ => Status::Over(Payoffs::for_winners(winners)),
            }
        }

        fn legal_actions(&self, position: &Position) -> impl Iterator<Item = Action> + Clone {
            let legal = |action: &Action| self.check_action(position, *action).is_ok();
            let actions = [Action::Roll, Action::Hold].into_iter().filter(legal);
            actions.collect::<Vec<_>>().into_iter()
        }

        fn chance_outcomes(
            &self,
            _: &Position,
            action: Action,
        ) -> impl Iterator<Item = (Face, f64)> + Clone {
            let faces = match action {
                Action::Roll => (1..=6).map(|face| (Face(Some(face)), 1.0 / 6.0)).collect(),
                Action::Hold => vec![(Face(None), 1.0)],
            };
            faces.into_iter()
        }

        fn apply(&self, position: &Position, action: Action, Face(face): Face) -> Position {
            let mut after = *position;
            match (action, face) {
                (Action::Roll, Some(face)) if face > 1 => {
                    after.gathered += face;
                    return after;
                }
                (Action::Roll, _) => {}
                (Action::Hold, _) => {
                    after.scores[usize::from(position.mover.number())] += position.gathered;
                }
            }
            after.gathered = 0;
            after.mover = position.mover.next(3);
            after
        }

        fn adjudicate(&self, position: &Position, gave_up: PlayerSet) -> Payoffs {
            let remaining = Player::all(3).filter(|&player| !gave_up.contains(player));
            let score = |player: &Player| position.scores[usize::from(player.number())];
            let best = remaining.clone().map(|player| score(&player)).max();
            let winners = remaining.filter(|player| Some(score(player)) == best);
            Payoffs::for_winners(winners.collect())
        }
    }

    impl RecordableGame for Pig {
        type Roll = Face;

        fn roll(&self, _: &Position, action: Action, rng: &mut impl Rng) -> Face {
            match action {
                Action::Roll => Face(Some(rng.random_range(1..=6))),
                Action::Hold => Face(None),
            }
        }

        fn outcome_of_roll(&self, _: &Position, action: Action, roll: &Face) -> Option<Face> {
            let is_valid = match action {
                Action::Roll => roll.0.is_some_and(|face| (1..=6).contains(&face)),
                Action::Hold => roll.0.is_none(),
            };
            is_valid.then_some(*roll)
        }
    }

    impl SerializableGame for Pig {
        const NAME: &'static str = "pig";

        type Parameters = Parameters;
        type Setup = Setup;
        type SetupError = SetupError;
        type IllegalActionError = Refusal;

        fn from_parameters(parameters: &Parameters) -> Result<Self, SetupError> {
            let Parameters { goal } = *parameters;
            let is_valid = (2..=100).contains(&goal);
            is_valid.then_some(Pig { goal }).ok_or(SetupError::Goal)
        }

        fn parameters(&self) -> Parameters {
            Parameters { goal: self.goal }
        }

        fn deal(&self, _: &mut impl Rng) -> Result<Position, SetupError> {
            Ok(Position {
                scores: [0; 3],
                gathered: 0,
                mover: Player::FIRST,
            })
        }

        fn position_from_setup(&self, setup: &Setup) -> Result<Position, SetupError> {
            let Setup {
                scores,
                gathered,
                player,
            } = *setup;
            let mover = Player::try_new(player, 3).ok_or(SetupError::Position)?;
            // A turn's total is at most one short of the goal, plus a six.
            let limit = self.goal + 5;
            if gathered > limit || scores.iter().any(|&score| score > limit) {
                return Err(SetupError::Position);
            }
            Ok(Position {
                scores,
                gathered,
                mover,
            })
        }

        fn to_setup(&self, position: &Position) -> Setup {
            Setup {
                scores: position.scores,
                gathered: position.gathered,
                player: position.mover.number(),
            }
        }

        fn notation(&self, position: &Position) -> String {
            let [a, b, c] = position.scores;
            format!("{a} {b} {c} {} {}", position.gathered, position.mover)
        }

        fn check_action(&self, position: &Position, action: Action) -> Result<(), Refusal> {
            match action {
                _ if self.status(position).is_over() => Err(Refusal::Over),
                Action::Hold if position.gathered == 0 => Err(Refusal::NothingToHold),
                Action::Roll if self.after(position, position.mover) >= self.goal => {
                    Err(Refusal::Enough)
                }
                Action::Roll | Action::Hold => Ok(()),
            }
        }

        fn ends_turn(action: Action) -> bool {
            action == Action::Hold
        }
    }

    impl AgentProvider for Pig {
        fn agent(level: Level) -> Box<dyn Agent<Self>> {
            match level {
                Level::Novice | Level::Random => Box::new(RandomAgent),
                Level::Book | Level::Greedy | Level::Steady => Box::new(HoldAt(10)),
                _ => Box::new(HoldAt(20)),
            }
        }
    }

    /// Holds as soon as the turn's total reaches this number.
    struct HoldAt(u8);

    impl Agent<Pig> for HoldAt {
        fn choose_action(
            &mut self,
            game: &Pig,
            position: &Position,
            _: SearchLimit,
            _: &mut AgentRng,
            _: &StopToken,
        ) -> ChosenActionOf<Pig> {
            let target = self
                .0
                .min(game.goal - position.scores[usize::from(position.mover.number())]);
            ChosenAction {
                action: if position.gathered >= target {
                    Action::Hold
                } else {
                    Action::Roll
                },
                shares: None,
                nodes: 1,
                is_exact: false,
            }
        }
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct NewPig {
        /// The score that wins, 2 to 100. Default 30.
        goal: Option<u8>,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct Played {
        /// `roll` or `hold`.
        play: String,
    }

    #[derive(Default, Serialize)]
    pub(crate) struct Shown {
        /// The mover's turn total after the ply.
        gathered: u8,
    }

    impl GameFormat for Pig {
        const TITLE: &'static str = "Pig";

        type New = NewPig;
        type ActionJson = Played;
        type RollJson = u8;
        type EventJson = Shown;
        type MovesJson = ActionListJson<Played>;
        type LayoutJson = NoFields;

        const PARAMETERS: &'static [&'static str] = &["goal"];

        fn with_defaults(new: NewPig) -> Result<Parameters, FieldError> {
            Ok(Parameters {
                goal: new.goal.unwrap_or(30),
            })
        }

        fn parse_action_json(
            &self,
            _: &Position,
            fields: JsonFields,
        ) -> Result<Action, ActionFieldsError> {
            let played: Result<Played, _> = fields.into();
            let action = played.ok().and_then(|Played { play }| play.parse().ok());
            action.ok_or_else(|| FieldError::from("a ply of this game is roll or hold").into())
        }

        fn action_json(&self, action: Action, _: &Position) -> Played {
            Played {
                play: action.to_string(),
            }
        }

        fn roll_json(roll: &Face) -> Option<u8> {
            roll.0
        }

        fn parse_roll(roll: Option<u8>) -> Option<Face> {
            Some(Face(roll))
        }

        fn event_json(&self, step: &ReplayedPly<'_, Self>) -> Shown {
            Shown {
                gathered: step.after.gathered,
            }
        }

        fn moves_json(
            tree: &impl GameTree<Game = Self>,
            winners: Option<Vec<u8>>,
        ) -> ActionListJson<Played> {
            ActionListJson::new(tree, winners)
        }
    }

    impl EngineAdapter for Pig {
        const MAX_SEARCH_PLIES: u32 = 20;

        fn run_search(
            &self,
            position: &Position,
            request: &SearchRequest<'_>,
        ) -> Result<SearchResult<Action>, RateError> {
            if request.search != "expectimax" {
                return Err(RateError::unsupported_search("expectimax"));
            }
            let plies = request.required_depth(Self::MAX_SEARCH_PLIES)?;
            let budget = Budget::new(request.max_nodes);
            let tree = budget.limit_nodes(LazyTree::new(self, *position));
            let analysis = expectimax(&tree.clone().limit_depth(plies), &Score, position.mover);
            if tree.is_exhausted() {
                return Err(RateError::TooLarge);
            }
            Ok(analysis)
        }
    }

    /// The player's score, plus the turn's total for the mover.
    struct Score;

    impl StaticEvaluation<Pig> for Score {
        fn evaluate(&self, game: &Pig, position: &Position, player: Player) -> f64 {
            if position.mover == player {
                f64::from(game.after(position, player))
            } else {
                f64::from(position.scores[usize::from(player.number())])
            }
        }
    }

    impl TerminalAdapter for Pig {
        fn board(&self, position: &Position, paint: ColourMode) -> String {
            let scores = Player::all(3).zip(position.scores);
            let scores =
                scores.map(|(player, score)| paint.piece(player, &format!("{player}-{score}")));
            let scores: Vec<String> = scores.collect();
            format!("{} +{}", scores.join(" "), position.gathered)
        }

        fn label_map(&self) -> String {
            format!("0 to {}", self.goal)
        }

        fn label_map_help(&self) -> &'static str {
            "pig-help"
        }

        fn action_menu(&self, action: Action, text: &Translations) -> String {
            text.get(label_key(action)).into_owned()
        }

        fn roll_text(ply: &Ply<Self>, text: &Translations) -> Option<String> {
            let values = [("face", ply.roll.0?.into())];
            Some(text.get_with("pig-rolled", &values).into_owned())
        }
    }

    /// The scores, as the board of the page shows them.
    #[derive(Debug)]
    pub(crate) struct Scores {
        scores: [u8; 3],
        gathered: u8,
    }

    impl Scores {
        fn drawn(&self) -> Markup {
            html! { p.pig { @for score in self.scores { (score) " " } "+" (self.gathered) } }
        }
    }

    impl BoardComponent for Scores {
        fn interactive(
            &self,
            _: &Translations,
            _: &DisplayOptions,
            _: Option<u8>,
            _: &PlayerNames<'_>,
        ) -> Markup {
            self.drawn()
        }

        fn picture(&self, _: &Translations, _: &DisplayOptions, _: &str) -> Markup {
            self.drawn()
        }

        fn small(&self) -> Markup {
            self.drawn()
        }

        fn as_table(&self, _: &Translations, _: &DisplayOptions, _: &PlayerNames<'_>) -> Markup {
            self.drawn()
        }

        fn standalone_svg(&self) -> Markup {
            html! { svg xmlns="http://www.w3.org/2000/svg" { text { (self.gathered) } } }
        }
    }

    /// The field of the settings form.
    #[derive(Debug)]
    struct Goal(Option<u8>);

    impl Component for Goal {
        fn draw(&self, text: &Translations, _: &DisplayOptions) -> Markup {
            html! { label { (text.get("pig-goal")) input name="goal" value=[self.0]; } }
        }
    }

    impl BoardPage for Pig {
        type BoardView = Scores;
        type Selection = ();

        const TITLE_KEY: &'static str = "pig";

        fn preview(&self, position: &Position) -> Scores {
            Scores {
                scores: position.scores,
                gathered: position.gathered,
            }
        }

        fn add_move_links(
            tree: &impl GameTree<Game = Self>,
            _: &MoveOptionsRequest<'_, ()>,
            _: &mut Scores,
        ) -> MoveOptions {
            let buttons = tree.branches().map(|(action, _)| Button {
                fields: vec![("play", action.to_string())],
                key: None,
                label: LocalizedMessage::new(label_key(action)),
            });
            MoveOptions {
                prompt: MovePrompt {
                    headline: LocalizedMessage::new("pig-what"),
                    sub: LocalizedMessage::new("pig-gathered")
                        .with_value("gathered", tree.position().gathered),
                    sub_without_odds: None,
                    back: None,
                },
                primary_action: None,
                buttons: Some(Arc::new(ButtonList {
                    title: LocalizedMessage::new("pig-what"),
                    buttons: buttons.collect(),
                })),
            }
        }

        fn parse_action_form(&self, form: &FormFields) -> Result<Action, FormError> {
            let play = form.single("play")?.and_then(|play| play.parse().ok());
            play.ok_or_else(|| FormError::Invalid("a ply is play=roll or play=hold".to_owned()))
        }

        fn winner_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage {
            LocalizedMessage::new("pig-won")
                .with_players(end.winners.iter().map(|winner| winner.number()))
        }

        fn end_reason_text(&self, _: &GameEnd<'_, Self>) -> LocalizedMessage {
            LocalizedMessage::new("pig-reason").with_value("goal", self.goal)
        }

        fn illegal_action_text(refusal: &Refusal) -> LocalizedMessage {
            LocalizedMessage::new(match refusal {
                Refusal::NothingToHold => "pig-nothing-to-hold",
                Refusal::Enough => "pig-enough",
                Refusal::Over => "notice-over",
            })
        }

        fn rules_section(text: &Translations) -> Markup {
            html! { h2 { (text.get("pig")) } p { (text.get("pig-help")) } }
        }
    }

    fn label_key(action: Action) -> &'static str {
        match action {
            Action::Roll => "pig-roll",
            Action::Hold => "pig-hold",
        }
    }

    impl RegistrableGame for Pig {
        const PAGES: GamePages<Self> = GamePages {
            form: Some(SettingsForm {
                title_key: "pig",
                seat_fields: &["seats"],
                fields: |sent| Arc::new(Goal(sent.redisplayed("goal"))),
                parse: |sent| {
                    let goal = sent.non_empty("goal", "pig-problem")?;
                    Ok(Parameters {
                        goal: goal.unwrap_or(30),
                    })
                },
                error_text: |_| LocalizedMessage::new("pig-problem"),
            }),
            start: Some(StartOffer {
                about_key: "pig-about",
                opponents: &[("opponents-easy", Level::Book)],
            }),
            counts: Some(PlayerCounts {
                columns: CountColumns {
                    headings: &["pig-score"],
                    territory: None,
                },
                of: |_, position, player| {
                    vec![position.scores[usize::from(player.number())].into()]
                },
            }),
            log: Some(LogPage {
                describe_ply: |_, step| PlyDescription {
                    message: LocalizedMessage::new(match step.ply.action {
                        Action::Roll => "pig-log-roll",
                        Action::Hold => "pig-log-hold",
                    })
                    .with_player(step.ply.player.number()),
                    marks: None,
                    strip: None,
                },
                takeback_label: |_| LocalizedMessage::new("take-back"),
                takeback_text: |player, _| {
                    LocalizedMessage::new("log-took-back").with_player(player.number())
                },
                has_turns: true,
            }),
            ..GamePages::NONE
        };

        const FLAGS: &'static [GameFlag] = &[GameFlag::number(
            "goal",
            "goal",
            "The score that wins [default: 30]",
        )];

        const TRANSLATIONS: &'static [(&'static str, &'static str)] = &[(
            "en",
            "pig = Pig\n\
             pig-about = Gather points, or hold.\n\
             pig-goal = The score that wins\n\
             pig-score = score\n\
             pig-what = Roll or hold?\n\
             pig-gathered = You have gathered { $gathered }.\n\
             pig-log-roll = { $who } rolls.\n\
             pig-log-hold = { $who } holds.\n\
             pig-won = Won by { $who }\n\
             pig-reason = That makes { $goal }.\n\
             pig-nothing-to-hold = Roll before you hold.\n\
             pig-enough = That is enough: hold.\n\
             pig-problem = The score that wins is a number from 2 to 100.\n\
             pig-roll = roll the die\n\
             pig-hold = hold\n\
             pig-rolled = The die shows { $face }\n\
             pig-help = A 1 loses what the turn has gathered. The scores go from\n\
             level-book-about-pig = Holds at ten.\n",
        )];
    }
}

/// The engine's result for a request that succeeds.
#[track_caller]
fn engine_result(request: &Value) -> Value {
    let response = engine_response(request);
    assert!(response["error"].is_null(), "{response} to {request}");
    response["ok"].clone()
}

fn engine_response(request: &Value) -> Value {
    let mut engine = Engine::new(games(), RequestLimits::default());
    serde_json::from_str(&engine.answer(request.to_string().as_bytes())).unwrap()
}

fn position(scores: [u8; 3], gathered: u8) -> Value {
    json!({"game": "pig", "goal": 30, "scores": scores, "gathered": gathered, "player": 0})
}

#[test]
fn the_engine_deals_pig_and_lists_its_moves() {
    let dealt = engine_result(&json!({"op": "new", "game": "pig", "goal": 30}));
    assert_eq!(dealt["position"], position([0, 0, 0], 0));
    let moves = |position: Value| engine_result(&json!({"op": "moves", "position": position}));
    let first = moves(dealt["position"].clone());
    assert_eq!(first["moves"], json!([{"play": "roll"}]));
    let gathered = moves(position([0, 0, 0], 4));
    assert_eq!(
        gathered["moves"],
        json!([{"play": "roll"}, {"play": "hold"}])
    );
    let over = moves(position([0, 31, 0], 0));
    assert_eq!(over, json!({"moves": [], "over": true, "winners": [1]}));
}

#[test]
fn the_engine_searches_pig() {
    let rate = |gathered: u8| {
        let position = position([0, 0, 0], gathered);
        engine_result(
            &json!({"op": "rate", "position": position, "search": "expectimax", "depth": 1}),
        )
    };
    // A roll gains (2 + 3 + 4 + 5 + 6) / 6 on average and loses the turn's total with probability 1/6: the two are
    // equal at 20.
    assert_eq!(rate(19)["chosen"], 0);
    assert_eq!(rate(21)["chosen"], 1);
    assert_eq!(rate(4)["nodes"], 8);
    let perft = |depth: u32| {
        let request = json!({"op": "perft", "position": position([0, 0, 0], 0), "depth": depth});
        engine_result(&request)["nodes"].clone()
    };
    // After a 1 the next player can only roll; after any other face the mover can also hold.
    assert_eq!([perft(1), perft(2)], [json!(6), json!(6 + 5 * (6 + 1))]);
    let unknown = engine_response(
        &json!({"op": "rate", "position": position([0, 0, 0], 0), "search": "book"}),
    );
    let message = "no such search; this game has expectimax";
    assert_eq!(unknown["error"]["message"], message);
}

#[test]
fn the_engine_plays_pig_at_every_level() {
    for level in Level::IN_EVERY_GAME {
        let position = position([0, 0, 0], 20);
        let chosen = engine_result(
            &json!({"op": "choose", "position": position, "level": level, "seed": 1}),
        );
        let (index, play) = (chosen["index"].as_u64(), chosen["play"].as_str());
        let listed = [(Some(0), Some("roll")), (Some(1), Some("hold"))];
        assert!(listed.contains(&(index, play)), "{level}: {chosen}");
    }
    let levels = engine_result(&json!({"op": "levels", "game": "pig"}));
    let about = |level: usize| levels["levels"][level]["description"].as_str();
    assert_eq!(
        about(1),
        Some("Plays any legal move, each as likely as the next.")
    );
    assert_eq!(about(2), Some("Holds at ten."));
    let unknown = engine_response(&json!({"op": "levels", "game": "chess"}));
    let message = "no such game; there are dice, trilobite and pig";
    assert_eq!(unknown["error"]["message"], message);
}

fn command(line: &str) -> Result<CliCommand, clap::Error> {
    let words = std::iter::once("dice-of-doom").chain(line.split_whitespace());
    Cli::parse_from(&games(), words).map(Cli::into_command)
}

fn terminal_game(line: &str) -> Result<TerminalGame, String> {
    match command(line) {
        Ok(CliCommand::Play(play)) => play.terminal_game(&games(), 1),
        other => panic!("{line}: {other:?}"),
    }
}

/// The terminal's output for this input.
fn terminal_output(game: &TerminalGame, typed: &str) -> String {
    let games = games();
    let mut printed = Vec::new();
    let text = games.translations(Language::English);
    let played = game.play(typed.as_bytes(), &mut printed, ColourMode::Plain, text);
    played.unwrap();
    String::from_utf8(printed).unwrap()
}

#[test]
fn the_command_line_configures_pig() {
    let game = terminal_game("play pig --goal 12").unwrap();
    assert_eq!(
        game.setting.parameters_text(),
        r#"{"game":"pig","goal":12}"#
    );
    assert_eq!(game.seats[0], TerminalSeat::Human);
    assert_eq!(
        game.seats[1..],
        [TerminalSeat::Level(Level::Book.into()); 2]
    );
    for (line, sentence) in [
        ("play --goal 12", "--goal is an option of the game pig"),
        ("play pig --side 4", "--side is an option of the game dice"),
        ("play pig --goal 1", "the goal is a number from 2 to 100"),
    ] {
        assert_eq!(terminal_game(line).unwrap_err(), sentence, "{line}");
    }
    let help = command("play --help").unwrap_err().to_string();
    assert!(help.contains("The game: dice, trilobite or pig"), "{help}");
    assert!(help.contains("\nPig:\n"), "{help}");
    let unknown = command("play chess").unwrap_err().to_string();
    assert!(
        unknown.contains("there are dice, trilobite and pig"),
        "{unknown}"
    );
}

#[test]
fn the_terminal_plays_pig() {
    let alone = terminal_game("play pig --seats expert,book,random --seed 7").unwrap();
    let output = terminal_output(&alone, "");
    assert!(output.starts_with("current player = a\na-0 b-0 c-0 +0\na plays: roll the die\n"));
    assert!(output.contains("\nThe die shows "), "{output}");
    assert!(output.contains("\nThe winner is "), "{output}");
    assert_eq!(
        output,
        terminal_output(&alone, ""),
        "the seed repeats the game"
    );

    let people = terminal_game("play pig --goal 2 --seats human,human,human --seed 1").unwrap();
    let output = terminal_output(&people, "hold\n?\nroll\nq\n");
    assert!(
        output.contains("choose your move:\n1. roll the die\nA number from 1 to 1 "),
        "{output}"
    );
    assert!(
        output.contains("gathered. The scores go from\n0 to 2\n"),
        "{output}"
    );
    // With this goal every roll but a 1 wins as soon as the player holds.
    let output = terminal_output(&people, &"1\n".repeat(60));
    assert!(output.contains("\n1. hold\n"), "{output}");
    assert!(output.contains("\nThe winner is "), "{output}");
}

#[test]
fn the_terminal_saves_a_record_of_pig() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pig.json");
    let mut game = terminal_game("play pig --seats book,book,book --seed 3").unwrap();
    game.record = Some(file.clone());
    terminal_output(&game, "");
    let record: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        (&record["game"], &record["goal"]),
        (&json!("pig"), &json!(30))
    );
    assert_eq!(record["plies"][0]["play"], "roll");
    assert!(record["plies"][0]["roll"].is_u64(), "{record}");
    assert_eq!(record["ending"], "rules");
    assert_eq!(record["winners"].as_array().unwrap().len(), 1);
}

#[test]
fn the_arena_measures_pig() {
    let line = "arena pig --goal 20 --seats expert,random,random --boards 40 --seed 2";
    let Ok(CliCommand::Arena(arena)) = command(line) else {
        panic!("{line}");
    };
    let (contest, game) = arena.config(&games()).unwrap();
    let report = game.run_arena(&contest, &ArenaProgress::hidden()).unwrap();
    let ArenaReport::Table(table) = report else {
        panic!("{report:?}");
    };
    let expert = &table.results.contestants[0];
    assert!(expert.share.low > table.results.par, "{expert:?}");
}

#[test]
fn parameters_of_pig_are_validated() {
    let games = games();
    let pig = games.game_type("pig").unwrap();
    let setting = pig.configure(JsonFields::default()).unwrap();
    assert_eq!((setting.name(), setting.players()), ("pig", 3));
    let refused = pig.configure(JsonFields::default().with("goal", &101));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the goal is a number from 2 to 100"
    );
}

#[tokio::test]
async fn pages_play_pig() {
    let server = pig_server().await;
    let browser = server.person();
    let start = browser.page("/").await;
    assert!(start.has(".others a[href='/?game=pig']"), "{start}");
    let own = browser.page("/?game=pig").await;
    assert_eq!(own.texts("h1"), ["Pig"]);
    assert_eq!(own.attrs(".by-level button", "value"), ["book"]);
    assert!(own.has("input[name=goal]"), "{own}");
    browser
        .create(&[("game", "pig"), ("seats", "human"), ("seats", "book")])
        .await;
    let rules = browser.page("/rules").await.texts("h2");
    assert!(rules.contains(&"Pig".to_owned()), "{rules:?}");

    let rejected = "game=pig&goal=101";
    let page = browser.refused("/games", rejected, 422).await;
    assert!(page.contains("The score that wins is a number from 2 to 100."));

    let game = create_through_form(&browser, "pig", 3).await;
    let page = browser.page(&game).await;
    let title = page.text("title");
    assert!(
        title == "Your turn · Pig" || title.contains("Red to move · Pig"),
        "{title}"
    );
    assert!(page.contains("Roll or hold?") && page.contains("roll the die"));
    assert!(!page.has("[value=hold]"));

    let moves = format!("{game}/moves");
    let early = "ply=0&play=hold";
    let page = browser.refused(&moves, early, 422).await;
    assert!(page.contains("Roll before you hold."));
    browser.done(&moves, "ply=0&play=roll").await;
    let page = browser.page(&game).await;
    assert!(page.contains("Red rolls."), "{page}");
    let first = browser.page(&format!("{game}/0")).await;
    assert!(first.contains("Move 0 of 1"));
    let picture = browser.page(&format!("{game}/board.svg")).await;
    assert!(picture.starts_with("<svg"));
    let share = browser.page(&format!("{game}/1")).await;
    assert!(share.has(&format!("[href='{game}/film?from=0&to=1']")));
    let embed = browser.page(&format!("{game}/embed?ply=1")).await;
    assert!(embed.has("svg") && embed.has(&format!("[href='{game}/1']")));
    let film = browser.get(&format!("{game}/game.gif?from=0&to=1")).await;
    assert!(film.status() == 200 || film.status() == 202);
}

/// A server with these games and this store.
async fn server(games: Registry, store: Arc<dyn Store>) -> Server {
    let config = ServerConfig {
        games,
        store,
        ..ServerConfig::default()
    };
    Server::start_with(config).await
}

/// A server with Pig and an in-memory store.
async fn pig_server() -> Server {
    server(games(), Arc::new(SqliteStore::in_memory())).await
}

/// Posts a ply: `play` is `roll` or `hold`.
async fn post(table: &Table, player: usize, ply: u64, play: &str) -> Response {
    let body = json!({"ply": ply, "play": play});
    let path = table.path("/moves");
    table.api.post_as(table.token(player), &path, &body).await
}

/// Posts a ply that must be accepted.
async fn play(table: &Table, player: usize, ply: u64, play: &str) -> Value {
    let response = post(table, player, ply, play).await;
    let (status, text) = (response.status(), response.text().await.unwrap());
    assert_eq!(status, 200, "ply {ply}, {play}: {text}");
    serde_json::from_str(&text).unwrap()
}

/// Plays the human seats, holding at eight, until the game is over or reaches this ply.
async fn play_until(table: &Table, ply: u64) -> Value {
    loop {
        let now = table.settled().await;
        let Some(player) = now["player"].as_u64() else {
            return now;
        };
        let next = number(&now["ply"]);
        if next >= ply {
            return now;
        }
        let score = number(&now["state"]["scores"][player as usize]);
        let gathered = number(&now["state"]["gathered"]);
        let holds = gathered >= 8.min(number(&now["goal"]) - score);
        let chosen = if holds { "hold" } else { "roll" };
        play(table, player as usize, next, chosen).await;
    }
}

/// The state of the game, computed from the plies of a record or of a stream by the rules in the module docs.
#[derive(Default)]
struct Counted {
    scores: [u64; 3],
    gathered: u64,
    player: usize,
}

impl Counted {
    /// Applies a ply, which must be the mover's.
    #[track_caller]
    fn count(&mut self, ply: &Value) {
        assert_eq!(ply["player"], self.player, "{ply}");
        let next = match (ply["play"].as_str(), ply["roll"].as_u64()) {
            (Some("roll"), Some(1)) => true,
            (Some("roll"), Some(face @ 2..=6)) => {
                self.gathered += face;
                false
            }
            (Some("hold"), None) => {
                assert!(ply["roll"].is_null() && self.gathered > 0, "{ply}");
                self.scores[self.player] += self.gathered;
                true
            }
            _ => panic!("{ply} is no ply of Pig"),
        };
        if next {
            self.gathered = 0;
            self.player = (self.player + 1) % 3;
        }
    }

    #[track_caller]
    fn of(record: &Value) -> Counted {
        let mut counted = Counted::default();
        for (number, ply) in record["plies"].as_array().unwrap().iter().enumerate() {
            assert_eq!(ply["ply"], number, "{record}");
            counted.count(ply);
        }
        counted
    }

    fn state(&self) -> Value {
        json!({"scores": self.scores, "gathered": self.gathered, "player": self.player})
    }

    fn winner(&self, goal: u64) -> Option<usize> {
        self.scores.iter().position(|&score| score >= goal)
    }
}

fn people(goal: u64) -> Value {
    json!({"game": "pig", "goal": goal, "seats": ["human", "human", "human"]})
}

#[tokio::test]
async fn the_api_creates_games_of_pig() {
    let server = pig_server().await;
    let api = server.api();
    let default_game = api.create(json!({"game": "pig"})).await.game;
    assert_eq!(
        (&default_game["game"], &default_game["goal"]),
        (&json!("pig"), &json!(30))
    );
    assert_eq!(default_game["state"], Counted::default().state());
    assert_eq!(
        (&default_game["ply"], &default_game["player"]),
        (&json!(0), &json!(0))
    );
    let kinds = [0, 1, 2].map(|seat| &default_game["seats"][seat]["kind"]);
    assert_eq!(kinds, ["human", "level", "level"]);
    let error_detail = async |body: Value| {
        let problem = problem(api.post("/api/v1/games", &body).await, 422).await;
        problem["detail"].as_str().unwrap().to_owned()
    };
    let goal = error_detail(json!({"game": "pig", "goal": 101})).await;
    assert_eq!(goal, "the goal is a number from 2 to 100");
    for body in [
        json!({"game": "pig", "goal": "much"}),
        json!({"game": "pig", "rules": "v4"}),
        json!({"game": "dice", "goal": 30}),
        json!({"game": "pig", "seats": ["human", "human"]}),
        json!({"game": "pig", "start": {"scores": [0, 0], "gathered": 0, "player": 0}}),
        json!({"game": "pig", "start": {"scores": [0, 0, 0], "gathered": 0, "player": 3}}),
    ] {
        assert!(!error_detail(body.clone()).await.is_empty(), "{body}");
    }
    let unknown = error_detail(json!({"game": "chess"})).await;
    assert!(unknown.contains("`dice`, `trilobite`, `pig`"), "{unknown}");
}

#[tokio::test]
async fn the_api_plays_pig() {
    let server = pig_server().await;
    let table = server.api().create(people(30)).await;
    let expected =
        json!({"game": "pig", "moves": [{"play": "roll"}], "over": false, "winners": null});
    assert_eq!(table.moves().await, expected);
    let rolled = play(&table, 0, 0, "roll").await;
    let record = table.record().await;
    let counted = Counted::of(&record);
    let mut answer = json!({
        "game": "pig", "ply": 1, "roll": record["plies"][0]["roll"], "state": counted.state(),
        "over": false, "winners": null, "repeated": false
    });
    assert_eq!(rolled, answer);
    let now = table.state().await;
    assert_eq!(now["last"], sent_plies(&record)[0]);
    assert_eq!((&now["state"], &now["ply"]), (&answer["state"], &json!(1)));
    let before = table.api.json(&table.path("?ply=0")).await;
    assert_eq!(before["state"], Counted::default().state());

    // The same request does not roll again, even after later plies.
    answer["repeated"] = json!(true);
    assert_eq!(play(&table, 0, 0, "roll").await, answer);
    play(&table, counted.player, 1, "roll").await;
    assert_eq!(play(&table, 0, 0, "roll").await, answer);
    for (player, ply, other) in [(0, 0, "hold"), (1, 0, "roll"), (0, 7, "roll")] {
        let stale = post(&table, player, ply, other).await;
        assert_eq!(problem(stale, 409).await["ply"], 2, "{player}, {other}");
    }
    let now = table.state().await;
    assert_eq!(now["state"], Counted::of(&table.record().await).state());
}

#[tokio::test]
async fn the_api_rejects_illegal_plies() {
    let server = pig_server().await;
    let api = server.api();
    let table = api.create(people(30)).await;
    let error_detail = async |table: &Table, body: Value| {
        let path = table.path("/moves");
        let response = api.post_as(table.token(0), &path, &body).await;
        let problem = problem(response, 422).await;
        problem["detail"].as_str().unwrap().to_owned()
    };
    for other in [
        json!({"ply": 0, "path": [0, 1]}),
        json!({"ply": 0, "path": null}),
        json!({"ply": 0, "cell": 3}),
        json!({"ply": 0, "play": "pass"}),
        json!({"ply": 0, "play": "roll", "path": null}),
        json!({"ply": 0}),
    ] {
        let sentence = error_detail(&table, other).await;
        assert_eq!(sentence, "a ply of this game is roll or hold");
    }
    let early = error_detail(&table, json!({"ply": 0, "play": "hold"})).await;
    assert_eq!(early, "roll before you hold");
    assert_eq!(table.state().await["ply"], 0);

    let dice = json!({"game": "dice", "rules": "v4", "players": 2, "seats": ["human", "human"]});
    let dice = api.create(dice).await;
    error_detail(&dice, json!({"ply": 0, "play": "roll"})).await;
    assert_eq!(dice.state().await["ply"], 0);

    let mut last = people(30);
    last["start"] = json!({"scores": [10, 0, 0], "gathered": 20, "player": 0});
    let last = api.create(last).await;
    let detail = error_detail(&last, json!({"ply": 0, "play": "roll"})).await;
    assert_eq!(detail, "that is enough: hold");
    let expected =
        json!({"game": "pig", "moves": [{"play": "hold"}], "over": false, "winners": null});
    assert_eq!(last.moves().await, expected);
    let won = play(&last, 0, 0, "hold").await;
    assert_eq!((&won["over"], &won["winners"]), (&json!(true), &json!([0])));
    assert_eq!(play(&last, 0, 0, "hold").await["repeated"], true);
    let none = json!({"game": "pig", "moves": [], "over": true, "winners": [0]});
    assert_eq!(last.moves().await, none);
    assert_eq!(last.state().await["ending"], "rules");
}

#[tokio::test]
async fn the_api_returns_the_record_of_a_whole_game() {
    let server = pig_server().await;
    let seats = ["human", "expert", "random"];
    let new = json!({"game": "pig", "goal": 25, "seats": seats});
    let table = server.api().create(new).await;
    let end = play_until(&table, u64::MAX).await;
    let record = table.record().await;
    let counted = Counted::of(&record);
    assert_eq!(end["state"]["scores"], json!(counted.scores));
    let winners = json!([counted.winner(25).unwrap()]);
    assert_eq!((&end["winners"], &record["winners"]), (&winners, &winners));
    assert_eq!(
        (&end["ending"], &record["ending"]),
        (&json!("rules"), &json!("rules"))
    );
    assert_eq!(
        (&record["format"], &record["game"]),
        (&json!(2), &json!("pig"))
    );
    assert_eq!(
        (&record["goal"], &record["start"]),
        (&json!(25), &Counted::default().state())
    );
}

/// docs/new-game.md says so: the document is a file, which describes the built-in games.
#[tokio::test]
async fn the_openapi_document_is_that_of_the_built_in_games() {
    let server = pig_server().await;
    let document = server.api().json("/openapi.json").await;
    let builtin: Value = serde_json::from_str(OPENAPI).unwrap();
    assert_eq!(document, builtin);
}

#[tokio::test]
async fn the_event_stream_contains_every_ply_of_pig() {
    let server = pig_server().await;
    let new = json!({"game": "pig", "goal": 25, "seats": ["human", "book", "master"]});
    let table = server.api().create(new).await;
    let mut early = table.events_from(0).await;
    let path = format!("/g/{}/events?from=0", table.id);
    let mut page = server.api().events(&path).await;
    play(&table, 0, 0, "roll").await;
    let end = play_until(&table, u64::MAX).await;
    let record = table.record().await;
    let recorded = sent_plies(&record);
    let last = number(&end["ply"]) - 1;
    let plies = early.plies(0, last).await;
    assert_eq!(plies.len(), recorded.len());
    let mut counted = Counted::default();
    let mut on_pages = Vec::new();
    for (event, ply) in plies.iter().zip(&recorded) {
        counted.count(event);
        let mut shown = event.clone();
        let after = shown.as_object_mut().unwrap().remove("after").unwrap();
        assert_eq!(after["over"], event["over"]);
        assert_eq!(after["ply"], number(&event["ply"]) + 1);
        let mut expected = ply.clone();
        expected["gathered"] = json!(counted.gathered);
        expected["over"] = json!(counted.winner(25).is_some());
        expected["game"] = json!("pig");
        assert_eq!(shown, expected);
        on_pages.push(shown);
    }
    for computer in [1, 2] {
        assert!(plies.iter().any(|event| event["player"] == computer));
    }
    assert_eq!(page.plies(0, last).await, on_pages);
    let mut late = table.events_from(last).await;
    assert_eq!(late.plies(last, last).await, plies[last as usize..]);
    let over = page.raw().await.unwrap();
    assert_eq!(
        over,
        "event: over\ndata: {\"event\":\"over\",\"ending\":\"rules\"}"
    );
    for stream in [&mut early, &mut late] {
        let over = stream.next("over").await.data;
        assert_eq!(over["winners"], end["winners"]);
    }
}

/// A server with these games on the store of this file, which resumes its unfinished games.
async fn start_on_file(games: Registry, file: &Path) -> Server {
    let store = SqliteStore::open(file).await.unwrap();
    let server = server(games, Arc::new(store)).await;
    server.service.resume_unfinished().await;
    server
}

/// Stops a server as SIGTERM does.
async fn stop(server: Server) {
    server.stop();
    server.service.close().await;
}

/// The same game at another server.
fn at(server: &Server, table: &Table) -> Table {
    Table {
        api: server.api(),
        ..table.clone()
    }
}

#[tokio::test]
async fn the_store_restores_a_game_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    let server = start_on_file(games(), &file).await;
    let new = json!({"game": "pig", "goal": 100, "seats": ["human", "book", "random"]});
    let table = server.api().create(new).await;
    let first = play(&table, 0, 0, "roll").await;
    let before = play_until(&table, 7).await;
    let record = table.record().await;
    stop(server).await;

    let server = start_on_file(games(), &file).await;
    let table = at(&server, &table);
    assert_eq!(table.state().await, before);
    assert_eq!(table.record().await, record);
    // The roll of the repeated ply is restored too.
    let mut again = first;
    again["repeated"] = json!(true);
    assert_eq!(play(&table, 0, 0, "roll").await, again);
    let end = play_until(&table, u64::MAX).await;
    let played = table.record().await;
    let winner = Counted::of(&played).winner(100);
    assert_eq!(end["winners"], json!([winner.unwrap()]));
    let plies = |record: &Value| record["plies"].as_array().unwrap().clone();
    assert!(plies(&played).starts_with(&plies(&record)), "{played}");
    assert!(plies(&played).len() > plies(&record).len());
    stop(server).await;

    let server = start_on_file(games(), &file).await;
    let table = at(&server, &table);
    assert_eq!(table.state().await, end);
    assert_eq!(table.record().await, played);
}

/// Creates a game through its form and returns the path of its page.
async fn create_through_form(person: &Person, game: &str, players: usize) -> String {
    let seats = std::iter::repeat_n(("seats", "human"), players);
    let form: Vec<_> = [("game", game)].into_iter().chain(seats).collect();
    person.create(&form).await
}

#[tokio::test]
async fn a_server_without_pig_serves_its_other_games() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.db");
    let server = start_on_file(games(), &file).await;
    let browser = server.person();
    let pig = create_through_form(&browser, "pig", 3).await;
    let columns = create_through_form(&browser, "trilobite", 2).await;
    let new = json!({"game": "trilobite", "seats": ["human", "human"]});
    let other = server.api().create(new).await;
    let table = server.api().create(people(30)).await;
    play(&table, 0, 0, "roll").await;
    let record = table.record().await;

    stop(server).await;
    let server = start_on_file(Registry::builtin(), &file).await;
    let browser = browser.at(&server.url(""));
    let unknown = at(&server, &table);
    for path in ["", "/moves", "/record", "/events"] {
        let answer = server.api().get(&unknown.path(path)).await;
        problem(answer, 500).await;
    }
    problem(post(&unknown, 0, 1, "roll").await, 500).await;
    for path in ["", "/0", "/log", "/board.svg", "/embed", "/film"] {
        browser.page_with_status(&format!("{pig}{path}"), 500).await;
    }
    // The lists omit the unknown game, and the other games work.
    let list = browser.page("/me").await;
    assert!(list.contains(&columns) && !list.contains(&pig), "{list}");
    browser.page("/").await;
    browser.page(&columns).await;
    let other = at(&server, &other);
    let cell = other.moves().await["moves"][0].clone();
    let body = json!({"ply": 0, "cell": cell});
    let path = other.path("/moves");
    let dropped = other.api.post_as(other.token(0), &path, &body).await;
    assert_eq!(dropped.status(), 200);

    // The unknown game is unchanged: a server with Pig continues it.
    stop(server).await;
    let server = start_on_file(games(), &file).await;
    let browser = browser.at(&server.url(""));
    let table = at(&server, &table);
    assert_eq!(table.record().await, record);
    let end = play_until(&table, u64::MAX).await;
    assert_eq!(end["ending"], "rules");
    assert!(browser.page("/me").await.contains(&pig));
}

#[test]
fn pig_satisfies_the_contract_of_games() {
    for goal in [2, 10, 30, 100] {
        let parameters = serde_json::from_value(json!({"goal": goal})).unwrap();
        let game = Pig::from_parameters(&parameters).unwrap();
        for seed in 0..20 {
            let mut rng = AgentRng::seed_from_u64(seed);
            let at = format!("goal {goal}, seed {seed}");
            let start = game.deal(&mut rng).unwrap();
            let (_, ended) = contract::check_laws(&game, start, &mut rng, &at);
            let sole = |payoffs: Payoffs| payoffs.winners().count() == 1;
            assert!(ended.is_none_or(sole), "{at}: there is one winner");
            check_positions(&game, start, &mut rng, &at);
            contract::check_session(&game, start, 60, &mut rng, &at);
        }
        let start = game.deal(&mut AgentRng::seed_from_u64(1)).unwrap();
        contract::check_levels(&game, &start, 60);
    }
}

/// Checks legality and notation of every position of one random game.
fn check_positions(game: &Pig, start: pig::Position, rng: &mut AgentRng, at: &str) {
    let mut position = start;
    for ply in 0..100 {
        let at = format!("{at}, ply {ply}");
        let actions = [pig::Action::Roll, pig::Action::Hold];
        contract::check_legality(game, &position, actions, &at);
        contract::check_serialization(game, &position, &at);
        if game.status(&position).is_over() {
            break;
        }
        let action = RandomAgent::random_action(game, &position, rng);
        let outcome = game.sample_outcome(&position, action, rng);
        position = game.apply(&position, action, outcome);
    }
}
