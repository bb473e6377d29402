use dice_of_doom::games::prelude::*;

/// Two players take 1 to 3 stones in turn from a heap of 21; who takes the last stone wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Nim;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Heap {
    stones: u8,
    second: bool,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Take {
    take: u8,
}

impl Game for Nim {
    type Position = Heap;
    type Action = u8;
    type Outcome = ();

    fn players(&self) -> u8 {
        2
    }

    fn status(&self, heap: &Heap) -> Status {
        let player = Player::new(heap.second.into());
        match heap.stones {
            0 => Status::Over(Payoffs::for_winners([player.next(2)].into_iter().collect())),
            _ => Status::Turn(player),
        }
    }

    fn legal_actions(&self, heap: &Heap) -> impl Iterator<Item = u8> + Clone {
        1..=heap.stones.min(3)
    }

    fn apply(&self, heap: &Heap, take: u8, (): ()) -> Heap {
        let (stones, second) = (heap.stones - take, !heap.second);
        Heap { stones, second }
    }
}

impl RecordableGame for Nim {
    type Roll = NoDice;
}

impl SerializableGame for Nim {
    const NAME: &'static str = "nim";
    type Parameters = NoFields;
    type Setup = Heap;
    type SetupError = FieldError;
    type IllegalActionError = FieldError;

    fn from_parameters(_: &NoFields) -> Result<Self, FieldError> {
        Ok(Nim)
    }

    fn parameters(&self) -> NoFields {
        NoFields {}
    }

    fn deal(&self, _: &mut impl Rng) -> Result<Heap, FieldError> {
        let (stones, second) = (21, false);
        Ok(Heap { stones, second })
    }

    fn position_from_setup(&self, heap: &Heap) -> Result<Heap, FieldError> {
        Ok(*heap)
    }

    fn to_setup(&self, heap: &Heap) -> Heap {
        *heap
    }

    fn notation(&self, heap: &Heap) -> String {
        format!("{} {}", heap.stones, heap.second)
    }

    fn check_action(&self, heap: &Heap, take: u8) -> Result<(), FieldError> {
        let is_legal = self.legal_actions(heap).any(|legal| legal == take);
        is_legal.then_some(()).ok_or("take 1 to 3".into())
    }
}

impl AgentProvider for Nim {
    fn agent(_: Level) -> Box<dyn Agent<Self>> {
        Box::new(RandomAgent)
    }
}

impl GameFormat for Nim {
    type New = NoFields;
    type ActionJson = Take;
    type RollJson = ();
    type EventJson = NoFields;
    type MovesJson = ActionListJson<Take>;
    type LayoutJson = NoFields;

    fn with_defaults(new: NoFields) -> Result<NoFields, FieldError> {
        Ok(new)
    }

    fn parse_action_json(&self, _: &Heap, fields: JsonFields) -> Result<u8, ActionFieldsError> {
        Ok(fields.into::<Take>()?.take)
    }

    fn action_json(&self, take: u8, _: &Heap) -> Take {
        Take { take }
    }

    fn moves_json(
        tree: &impl GameTree<Game = Self>,
        winners: Option<Vec<u8>>,
    ) -> ActionListJson<Take> {
        ActionListJson::new(tree, winners)
    }
}

impl TerminalAdapter for Nim {
    fn board(&self, heap: &Heap, _: ColourMode) -> String {
        format!("{} stones", heap.stones)
    }
}

impl BoardPage for Nim {
    type BoardView = TextBoard;
    type Selection = ();

    fn preview(&self, heap: &Heap) -> TextBoard {
        TextBoard(self.board(heap, ColourMode::Plain))
    }
}

impl EngineAdapter for Nim {}

impl RegistrableGame for Nim {
    const TRANSLATIONS: &'static [(&'static str, &'static str)] = &[("en", "nim = Nim\n")];
}
