//! Whether a log that an end in disorder left behind is whole.
//!
//! SQLite takes a log as ended at the first frame whose checksum is wrong, and forgets what stands
//! behind it. After a power cut that is right: there stands what was never acknowledged. But each commit
//! is on the disk before the next one begins, so a frame that is wrong with more than the rest of its own
//! commit behind it was damaged later, and acknowledged plies would be lost without a word. Of the last
//! commit the log's [mark](super::mark) tells.
//! The format: <https://sqlite.org/fileformat2.html#walformat>.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

pub(super) const HEAD: usize = 32;
pub(super) const FRAME_HEAD: usize = 24;

/// What a log tells of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Log {
    /// Its name; none where its head cannot be read.
    pub(super) salts: Option<[u8; 8]>,
    /// Where its last whole commit ends, in bytes from its beginning.
    pub(super) end: u64,
    /// Where it is damaged; `None` when it is whole, or only torn in its last commit.
    pub(super) damaged: Option<u64>,
}

/// Reads a log from its beginning to its end.
pub(super) fn read(log: &Path) -> io::Result<Log> {
    let mut log = BufReader::new(File::open(log)?);
    let mut head = [0; HEAD];
    let mut found = Log {
        salts: None,
        end: 0,
        damaged: None,
    };
    if !fill(&mut log, &mut head)? {
        return Ok(found);
    }
    let mut sum = Checksum::new(&head);
    sum.add(&head[..HEAD - 8]);
    let page = word(&head, 8) as usize;
    if !sum.is(&head, HEAD - 8) || !(512..=65_536).contains(&page) {
        // The head is on the disk before the first frame is written.
        let has_frame = fill(&mut log, &mut [0; FRAME_HEAD + 512])?;
        found.damaged = has_frame.then_some(0);
        return Ok(found);
    }
    let salts = std::array::from_fn(|byte| head[16 + byte]);
    found.salts = Some(salts);
    found.end = HEAD as u64;
    let mut frame = vec![0; FRAME_HEAD + page];
    let (mut at, mut wrong, mut commit_ended) = (HEAD as u64, None, false);
    while fill(&mut log, &mut frame)? {
        // Other salts are of an older log, whose frames were left where they stood.
        let is_of_this_log = frame[8..16] == salts;
        let ends_commit = word(&frame, 4) != 0;
        if wrong.is_none() {
            sum.add(&frame[..8]);
            sum.add(&frame[FRAME_HEAD..]);
            if !is_of_this_log || !sum.is(&frame, 16) {
                wrong = Some(at);
            } else if ends_commit {
                found.end = at + frame.len() as u64;
            }
        } else if is_of_this_log && commit_ended {
            found.damaged = wrong;
            return Ok(found);
        }
        commit_ended |= wrong.is_some() && is_of_this_log && ends_commit;
        at += frame.len() as u64;
    }
    Ok(found)
}

/// Reads as many bytes as there is room for; false when there are not so many left.
fn fill(log: &mut impl Read, room: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(room) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(std::array::from_fn(|index| bytes[at + index]))
}

/// The log's running sum over pairs of words.
struct Checksum {
    sums: (u32, u32),
    word: fn([u8; 4]) -> u32,
}

impl Checksum {
    /// Its words are of the byte order that the last bit of the log tells.
    fn new(head: &[u8; HEAD]) -> Self {
        let is_big_endian = head[3] & 1 == 1;
        Checksum {
            sums: (0, 0),
            word: if is_big_endian {
                u32::from_be_bytes
            } else {
                u32::from_le_bytes
            },
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let (mut one, mut two) = self.sums;
        for pair in bytes.as_chunks::<8>().0 {
            let [a, b, c, d, e, f, g, h] = *pair;
            one = one
                .wrapping_add((self.word)([a, b, c, d]))
                .wrapping_add(two);
            two = two
                .wrapping_add((self.word)([e, f, g, h]))
                .wrapping_add(one);
        }
        self.sums = (one, two);
    }

    fn is(&self, bytes: &[u8], at: usize) -> bool {
        self.sums == (word(bytes, at), word(bytes, at + 4))
    }
}
