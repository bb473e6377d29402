//! The binary format of networks and training checkpoints.
//!
//! A file starts with eight letters for its kind, its version, and the shape of the network; it ends with the
//! SHA-256 of everything before. Numbers are little-endian.

use super::features::{FeatureLayout, PLAYERS};
use super::float::{HIDDEN, WIDTH};
use sha2::{Digest, Sha256};

/// Why a file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NnueFileError {
    /// The file is of another kind.
    #[error("this is not a file of {0}")]
    WrongKind(&'static str),
    /// The file has another version.
    #[error("it has version {found}, and this program reads version {expected}")]
    WrongVersion {
        /// The version found.
        found: u32,
        /// The version that this program reads.
        expected: u32,
    },
    /// The network has another shape or other features: name, value found, value expected.
    #[error("its {0} is {1} where this program has {2}")]
    WrongShape(&'static str, u64, u64),
    /// The file is truncated or too long, or its checksum is wrong.
    #[error("it is damaged: its checksum does not match")]
    Damaged,
}

/// The kind and version of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct NnueFileKind {
    pub(super) letters: [u8; 8],
    pub(super) name: &'static str,
    pub(super) version: u32,
}

const CHECKSUM_LEN: usize = 32;

/// Writes a file.
pub(super) struct NnueFileWriter(Vec<u8>);

impl NnueFileWriter {
    pub(super) fn new(kind: NnueFileKind) -> Self {
        let mut writer = NnueFileWriter(kind.letters.to_vec());
        writer.write_number(kind.version.into());
        writer
    }

    pub(super) fn write_number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn write_floats(&mut self, floats: &[f32]) {
        self.0
            .extend(floats.iter().flat_map(|float| float.to_le_bytes()));
    }

    pub(super) fn write_shorts(&mut self, shorts: &[i16]) {
        self.0
            .extend(shorts.iter().flat_map(|short| short.to_le_bytes()));
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let checksum = Sha256::digest(&self.0);
        self.0.extend(checksum);
        self.0
    }
}

/// Reads a file.
pub(super) struct NnueFileReader<'f> {
    rest: &'f [u8],
}

impl<'f> NnueFileReader<'f> {
    pub(super) fn new(file: &'f [u8], kind: NnueFileKind) -> Result<Self, NnueFileError> {
        let rest = file
            .strip_prefix(&kind.letters)
            .ok_or(NnueFileError::WrongKind(kind.name))?;
        let mut reader = NnueFileReader { rest };
        let found = reader.read_number()?;
        if found != u64::from(kind.version) {
            let found = found.try_into().unwrap_or(u32::MAX);
            return Err(NnueFileError::WrongVersion {
                found,
                expected: kind.version,
            });
        }
        let (body, checksum) = file
            .split_last_chunk::<CHECKSUM_LEN>()
            .ok_or(NnueFileError::Damaged)?;
        if Sha256::digest(body)[..] != checksum[..] {
            return Err(NnueFileError::Damaged);
        }
        reader.rest = reader
            .rest
            .strip_suffix(checksum)
            .ok_or(NnueFileError::Damaged)?;
        Ok(reader)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], NnueFileError> {
        let (bytes, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(NnueFileError::Damaged)?;
        self.rest = rest;
        Ok(*bytes)
    }

    pub(super) fn read_number(&mut self) -> Result<u64, NnueFileError> {
        self.take().map(u64::from_le_bytes)
    }

    /// Reads a number and checks it.
    pub(super) fn expect_number(
        &mut self,
        name: &'static str,
        expected: u64,
    ) -> Result<(), NnueFileError> {
        match self.read_number()? {
            found if found == expected => Ok(()),
            found => Err(NnueFileError::WrongShape(name, found, expected)),
        }
    }

    /// Reads and checks the shape of a network; returns the number of players.
    pub(super) fn read_shape(&mut self) -> Result<u8, NnueFileError> {
        let players = self.read_number()?;
        let players = match u8::try_from(players) {
            Ok(players) if PLAYERS.contains(&players) => players,
            _ => return Err(NnueFileError::Damaged),
        };
        self.expect_number("first layer", WIDTH as u64)?;
        self.expect_number("second layer", HIDDEN as u64)?;
        self.expect_number(
            "number of features",
            FeatureLayout::for_players(players).count as u64,
        )?;
        Ok(players)
    }

    pub(super) fn read_floats(&mut self, count: usize) -> Result<Vec<f32>, NnueFileError> {
        (0..count)
            .map(|_| self.take().map(f32::from_le_bytes))
            .collect()
    }

    pub(super) fn read_shorts<const N: usize>(&mut self) -> Result<[i16; N], NnueFileError> {
        let mut shorts = [0; N];
        for short in &mut shorts {
            *short = i16::from_le_bytes(self.take()?);
        }
        Ok(shorts)
    }

    pub(super) fn finish(self) -> Result<(), NnueFileError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(NnueFileError::Damaged)
        }
    }
}
