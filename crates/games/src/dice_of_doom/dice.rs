//! Six-sided dice: unbiased faces from random bytes, attack rolls, and exact win probabilities.
//!
//! The probabilities are counted, not sampled. [`super::land_of_lisp`] has the rounded ones of the book's
//! computer player.

use std::fmt;
use std::str::FromStr;

use rand::Rng;

/// The maximum number of dice of one side.
const MAX_FACES: usize = 8;

/// The maximum number of dice in the probability tables.
const MAX_COUNTED_DICE: usize = 10;

/// `SUM_COUNTS[n][s]`: the number of rolls of n dice with the sum s.
const SUM_COUNTS: [[u64; 6 * MAX_COUNTED_DICE + 1]; MAX_COUNTED_DICE + 1] = sum_counts();

const fn sum_counts() -> [[u64; 6 * MAX_COUNTED_DICE + 1]; MAX_COUNTED_DICE + 1] {
    let mut counts = [[0; 6 * MAX_COUNTED_DICE + 1]; MAX_COUNTED_DICE + 1];
    counts[0][0] = 1;
    let mut n = 1;
    while n <= MAX_COUNTED_DICE {
        let mut sum = n;
        while sum <= 6 * n {
            let mut face = 1;
            while face <= 6 && face <= sum {
                counts[n][sum] += counts[n - 1][sum - face];
                face += 1;
            }
            sum += 1;
        }
        n += 1;
    }
    counts
}

/// `WIN_COUNTS[a][d]`: the number of the 6^(a+d) rolls in which the sum of a dice exceeds that of d dice.
const WIN_COUNTS: [[u64; MAX_COUNTED_DICE + 1]; MAX_COUNTED_DICE + 1] = count_wins();

const fn count_wins() -> [[u64; MAX_COUNTED_DICE + 1]; MAX_COUNTED_DICE + 1] {
    let mut wins = [[0; MAX_COUNTED_DICE + 1]; MAX_COUNTED_DICE + 1];
    let mut attack = 0;
    while attack <= MAX_COUNTED_DICE {
        let mut defend = 0;
        while defend <= MAX_COUNTED_DICE {
            let (mut sum, mut fewer) = (0, 0);
            while sum <= 6 * MAX_COUNTED_DICE {
                wins[attack][defend] += SUM_COUNTS[attack][sum] * fewer;
                fewer += SUM_COUNTS[defend][sum];
                sum += 1;
            }
            defend += 1;
        }
        attack += 1;
    }
    wins
}

static WIN_PROBABILITIES: [[f64; MAX_COUNTED_DICE + 1]; MAX_COUNTED_DICE + 1] = {
    let mut odds = [[0.0; MAX_COUNTED_DICE + 1]; MAX_COUNTED_DICE + 1];
    let mut attack = 0;
    while attack <= MAX_COUNTED_DICE {
        let mut defend = 0;
        while defend <= MAX_COUNTED_DICE {
            let (wins, throws) = win_counts(attack as u8, defend as u8);
            odds[attack][defend] = wins as f64 / throws as f64;
            defend += 1;
        }
        attack += 1;
    }
    odds
};

/// The number of winning rolls and of all rolls of `attack` dice against `defend` dice, 1 to 10 each.
#[must_use]
pub const fn win_counts(attack: u8, defend: u8) -> (u64, u64) {
    (
        WIN_COUNTS[attack as usize][defend as usize],
        6u64.pow(attack as u32 + defend as u32),
    )
}

/// The exact probability that `attack` dice beat `defend` dice, 1 to 10 each; the defender wins ties.
#[must_use]
pub fn win_probability(attack: u8, defend: u8) -> f64 {
    WIN_PROBABILITIES[usize::from(attack)][usize::from(defend)]
}

/// A uniform number below `bound` (1 to 255) from single random bytes. Rejects bytes that would favour small
/// numbers: for six faces those from 252 on.
pub(super) fn uniform_below(bound: u8, rng: &mut impl Rng) -> u8 {
    let limit = 256 - 256 % u16::from(bound);
    loop {
        let mut byte = [0];
        rng.fill_bytes(&mut byte);
        if u16::from(byte[0]) < limit {
            return byte[0] % bound;
        }
    }
}

/// The faces of one side's dice, 1 to 8 of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Faces {
    count: u8,
    faces: [u8; MAX_FACES],
}

impl Faces {
    /// These faces; `None` unless they are one to eight numbers from 1 to 6.
    #[must_use]
    pub fn new(faces: &[u8]) -> Option<Faces> {
        let is_valid = (1..=MAX_FACES).contains(&faces.len())
            && faces.iter().all(|face| (1..=6).contains(face));
        is_valid.then(|| {
            let mut padded = [0; MAX_FACES];
            padded[..faces.len()].copy_from_slice(faces);
            Faces {
                count: faces.len() as u8,
                faces: padded,
            }
        })
    }

    pub(super) fn roll(count: u8, rng: &mut impl Rng) -> Faces {
        let mut faces = [0; MAX_FACES];
        for face in &mut faces[..usize::from(count)] {
            *face = 1 + uniform_below(6, rng);
        }
        Faces { count, faces }
    }

    /// The faces in the order in which they were rolled.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.faces[..usize::from(self.count)]
    }

    /// The sum of the faces.
    #[must_use]
    pub fn sum(&self) -> u8 {
        self.as_slice().iter().sum()
    }
}

impl fmt::Debug for Faces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

impl fmt::Display for Faces {
    /// For example `6 2 5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, face) in self.as_slice().iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{face}")?;
        }
        Ok(())
    }
}

/// The rolls of both sides of an attack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Throw {
    /// The attacker's faces.
    pub attack: Faces,
    /// The defender's faces.
    pub defend: Faces,
}

impl Throw {
    /// Whether the attacker wins, which needs a strictly higher sum.
    #[must_use]
    pub fn attacker_wins(&self) -> bool {
        self.attack.sum() > self.defend.sum()
    }
}

/// The dice of one ply: present for an attack with dice, absent for other actions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AttackRoll(Option<Throw>);

impl AttackRoll {
    /// No dice are rolled.
    pub const NONE: AttackRoll = AttackRoll(None);

    /// The roll of an attack.
    #[must_use]
    pub const fn from_throw(throw: Throw) -> AttackRoll {
        AttackRoll(Some(throw))
    }

    /// The dice of both sides, if any.
    #[must_use]
    pub const fn throw(&self) -> Option<&Throw> {
        self.0.as_ref()
    }
}

impl fmt::Display for AttackRoll {
    /// For example `6 2 5/1 4`, attacker first; empty if no dice are rolled.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(throw) => write!(f, "{}/{}", throw.attack, throw.defend),
            None => Ok(()),
        }
    }
}

/// The text is not a roll.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no roll such as 6 2 5/1 4")]
pub struct RollParseError(pub String);

impl FromStr for AttackRoll {
    type Err = RollParseError;
    fn from_str(text: &str) -> Result<AttackRoll, RollParseError> {
        if text.is_empty() {
            return Ok(AttackRoll::NONE);
        }
        let throw = text.split_once('/').and_then(|(attack, defend)| {
            Some(Throw {
                attack: parse_faces(attack)?,
                defend: parse_faces(defend)?,
            })
        });
        throw
            .map(AttackRoll::from_throw)
            .ok_or_else(|| RollParseError(text.to_owned()))
    }
}

fn parse_faces(text: &str) -> Option<Faces> {
    let faces: Option<Vec<u8>> = text.split(' ').map(parse_face).collect();
    Faces::new(&faces?)
}

fn parse_face(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_would_favour_small_faces_are_rejected() {
        struct Bytes(std::vec::IntoIter<u8>);
        impl rand::TryRng for Bytes {
            type Error = std::convert::Infallible;
            fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
                unreachable!("dice use single bytes")
            }
            fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
                unreachable!("dice use single bytes")
            }
            fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
                bytes.fill_with(|| self.0.next().expect("enough bytes"));
                Ok(())
            }
        }
        let mut rng = Bytes(vec![252, 0, 255, 251, 253, 7].into_iter());
        assert_eq!(Faces::roll(3, &mut rng).as_slice(), [1, 6, 2]);
    }

    #[test]
    fn rolls_parse_as_they_are_displayed() {
        for text in ["", "6 2 5/1 4", "1/6", "1 1 1 1 1 1 1 1/6"] {
            assert_eq!(text.parse::<AttackRoll>().unwrap().to_string(), text);
        }
        for text in [
            "/",
            "1",
            "1/",
            "7/1",
            "0/1",
            "1  2/3",
            " 1/2",
            "+1/2",
            "1 1 1 1 1 1 1 1 1/6",
        ] {
            assert!(text.parse::<AttackRoll>().is_err(), "{text:?}");
        }
    }
}
