//! What people at a table can say: a few phrases, and no free text.

use std::str::FromStr;

use crate::game::Player;

/// A phrase or an emote.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phrase {
    Hello,
    GoodLuck,
    WellRolled,
    OhNo,
    TakeYourTime,
    Thanks,
    Laugh,
    GoodGame,
}

impl Phrase {
    pub const ALL: [Phrase; 8] = [
        Phrase::Hello,
        Phrase::GoodLuck,
        Phrase::WellRolled,
        Phrase::OhNo,
        Phrase::TakeYourTime,
        Phrase::Thanks,
        Phrase::Laugh,
        Phrase::GoodGame,
    ];

    /// The name in forms and notifications; its text is `phrase-NAME`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Phrase::Hello => "hello",
            Phrase::GoodLuck => "luck",
            Phrase::WellRolled => "rolled",
            Phrase::OhNo => "oh-no",
            Phrase::TakeYourTime => "time",
            Phrase::Thanks => "thanks",
            Phrase::Laugh => "laugh",
            Phrase::GoodGame => "game",
        }
    }
}

impl FromStr for Phrase {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut phrases = Self::ALL.into_iter();
        phrases.find(|phrase| phrase.name() == text).ok_or(())
    }
}

/// A phrase that a player has said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SaidPhrase {
    pub player: Player,
    pub phrase: Phrase,
    /// Unix time, in milliseconds.
    pub at_ms: i64,
}
