//! A simulated disk after a power cut: everything that was synced, and a random part of the rest.
//!
//! It is computed from the shim's journal. Each write after the last sync of its file is present or missing, in any
//! order, or partial, sector by sector; truncations are present or missing. Names of files are up to date: a file
//! system makes them durable with the file's own sync.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rand::RngExt as _;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom as _;

/// The unit of atomic writes, in bytes.
const SECTOR: usize = 512;

/// A record of the journal.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The offset in the journal behind this record, in bytes.
    pub(crate) end: u64,
    path: PathBuf,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Write { offset: usize, data: Vec<u8> },
    Truncate(usize),
    Sync,
    Create,
    Unlink,
    Rename(PathBuf),
}

impl Change {
    /// Whether it changes the content of this file.
    pub(crate) fn is_of(&self, path: &Path) -> bool {
        let writes = matches!(self.what, What::Write { .. } | What::Truncate(_));
        writes && self.path == path
    }
}

/// The changes in a journal. An incomplete last record is ignored.
pub(crate) fn read_journal(journal: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut at = 0;
    let mut take = |length: usize| {
        let bytes = journal.get(at..at + length)?;
        at += length;
        Some((bytes, at))
    };
    let mut next = || {
        let (kind, _) = take(1)?;
        let number = |(bytes, _): (&[u8], usize)| {
            let wide = bytes.iter().rev();
            wide.fold(0_usize, |number, byte| (number << 8) | usize::from(*byte))
        };
        let name = number(take(4)?);
        let offset = number(take(8)?);
        let length = number(take(8)?);
        let path = path(take(name)?.0);
        let (data, end) = take(length)?;
        let what = match kind {
            b"W" => What::Write {
                offset,
                data: data.to_vec(),
            },
            b"T" => What::Truncate(offset),
            b"S" => What::Sync,
            b"C" => What::Create,
            b"U" => What::Unlink,
            b"R" => What::Rename(self::path(data)),
            other => panic!("{other:?} is no change"),
        };
        let end = end as u64;
        Some(Change { end, path, what })
    };
    while let Some(change) = next() {
        changes.push(change);
    }
    changes
}

fn path(bytes: &[u8]) -> PathBuf {
    std::str::from_utf8(bytes)
        .expect("paths of tests are text")
        .into()
}

/// A file: its durable content, and the changes since the last sync.
#[derive(Clone, Default)]
struct SimulatedFile {
    durable: Vec<u8>,
    pending: Vec<What>,
}

impl SimulatedFile {
    fn sync(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            apply(&mut self.durable, &change);
        }
    }

    /// The content after the power cut.
    fn cut(mut self, random: &mut ChaCha8Rng) -> Vec<u8> {
        // Some disks have written much, some little.
        let arrives = random.random_range(0.0..1.0);
        let mut pending = std::mem::take(&mut self.pending);
        // A write is not reordered with a change of the length, which the file system records itself.
        for part in pending.split_mut(|change| matches!(change, What::Truncate(_))) {
            part.shuffle(random);
        }
        for change in pending {
            match change {
                What::Write { offset, data } if random.random_bool(0.3) => {
                    for (offset, data) in sectors(offset, &data) {
                        if random.random_bool(arrives) {
                            let data = data.to_vec();
                            apply(&mut self.durable, &What::Write { offset, data });
                        }
                    }
                }
                change => {
                    if random.random_bool(arrives) {
                        apply(&mut self.durable, &change);
                    }
                }
            }
        }
        self.durable
    }
}

/// The parts of a write, each within one sector.
fn sectors(offset: usize, data: &[u8]) -> Vec<(usize, &[u8])> {
    let mut parts = Vec::new();
    let mut begin = 0;
    while begin < data.len() {
        let end = ((offset + begin) / SECTOR + 1) * SECTOR - offset;
        let end = end.min(data.len());
        parts.push((offset + begin, &data[begin..end]));
        begin = end;
    }
    parts
}

fn apply(content: &mut Vec<u8>, change: &What) {
    match change {
        What::Write { offset, data } => {
            let end = offset + data.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            content[*offset..end].copy_from_slice(data);
        }
        What::Truncate(length) => content.resize(*length, 0),
        What::Sync | What::Create | What::Unlink | What::Rename(_) => {}
    }
}

/// The effect of a sync on the simulated disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Syncs {
    /// Everything before it becomes durable.
    Durable,
    /// No effect after this offset of the journal: a disk that ignores syncs.
    LostAfter(u64),
}

/// The files after a power cut behind these changes; `before` is durable.
pub(crate) fn after_cut(
    before: &BTreeMap<PathBuf, Vec<u8>>,
    changes: &[Change],
    syncs: Syncs,
    random: &mut ChaCha8Rng,
) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files: BTreeMap<&Path, SimulatedFile> = BTreeMap::new();
    for (path, content) in before {
        let durable = content.clone();
        let pending = Vec::new();
        files.insert(path, SimulatedFile { durable, pending });
    }
    for change in changes {
        let path = change.path.as_path();
        match &change.what {
            What::Unlink => drop(files.remove(path)),
            What::Rename(to) => {
                let file = files.remove(path).unwrap_or_default();
                files.insert(to, file);
            }
            What::Create => drop(files.entry(path).or_default()),
            What::Sync => {
                let counts = match syncs {
                    Syncs::Durable => true,
                    Syncs::LostAfter(place) => change.end <= place,
                };
                if counts {
                    files.entry(path).or_default().sync();
                }
            }
            change @ (What::Write { .. } | What::Truncate(_)) => {
                files.entry(path).or_default().pending.push(change.clone());
            }
        }
    }
    let cut = files.into_iter();
    cut.map(|(path, file)| (path.to_owned(), file.cut(random)))
        .collect()
}
