//! How far a log has been written, noted beside it after each commit.
//!
//! A log alone cannot tell damage in its last commit from a power cut in the middle of one: both look
//! torn. The mark is written when a commit is on the disk already, so it never says too much: whatever
//! becomes of the mark itself, a log that ends before it has lost something that was acknowledged. It
//! is not synced, so after a power cut it may say too little, and a torn last commit is taken for one.
//!
//! It names the log by its salts, which are new each time a log begins anew.

use std::fs::File;
use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::log::{FRAME_HEAD, HEAD, Log, word};

/// The end of the last commit of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    pub(super) salts: [u8; 8],
    /// In bytes from the beginning of the log.
    pub(super) end: u64,
}

/// How many bytes a mark takes.
pub(super) const BYTES: usize = 24;

impl Mark {
    /// The mark as it is kept, with a sum over it.
    fn bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&self.salts);
        bytes[8..16].copy_from_slice(&self.end.to_be_bytes());
        let sum = Sha256::digest(&bytes[..16]);
        bytes[16..].copy_from_slice(&sum[..8]);
        bytes
    }

    /// The mark that was kept; none where it was damaged or half written.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; BYTES] = bytes.first_chunk()?;
        let (salts, rest) = bytes.split_first_chunk()?;
        let mark = Mark {
            salts: *salts,
            end: u64::from_be_bytes(*rest.first_chunk()?),
        };
        (mark.bytes() == *bytes).then_some(mark)
    }
}

/// Writes the mark of a log.
#[derive(Debug)]
pub(super) struct Marker {
    log: File,
    frame_bytes: u64,
    into: File,
    at: u64,
    last: Option<Mark>,
}

impl Marker {
    /// Marks this log, whose pages have so many bytes, at a place in another file.
    pub(super) fn new(log: &Path, page_bytes: u64, into: File, at: u64) -> io::Result<Self> {
        Ok(Marker {
            log: File::open(log)?,
            frame_bytes: FRAME_HEAD as u64 + page_bytes,
            into,
            at,
            last: None,
        })
    }

    /// Notes how far the log goes, after a commit.
    #[cfg(unix)]
    pub(super) fn note(&mut self) -> io::Result<()> {
        use std::os::unix::fs::FileExt as _;
        let mut head = [0; HEAD];
        if !read_whole(&self.log, &mut head, 0)? {
            return Ok(());
        }
        let salts = std::array::from_fn(|byte| head[16 + byte]);
        let known = self.last.filter(|mark| mark.salts == salts);
        let mut mark = known.unwrap_or(Mark {
            salts,
            end: HEAD as u64,
        });
        let mut at = mark.end;
        let mut frame = [0; FRAME_HEAD];
        while read_whole(&self.log, &mut frame, at)? && frame[8..16] == salts {
            at += self.frame_bytes;
            if word(&frame, 4) != 0 {
                mark.end = at;
            }
        }
        if known != Some(mark) {
            self.into.write_all_at(&mark.bytes(), self.at)?;
            self.last = Some(mark);
        }
        Ok(())
    }

    /// Here a log is judged by itself alone.
    #[cfg(not(unix))]
    pub(super) fn note(&mut self) -> io::Result<()> {
        let _ = (&self.log, self.frame_bytes, &self.into, self.at, self.last);
        Ok(())
    }
}

#[cfg(unix)]
fn read_whole(file: &File, room: &mut [u8], at: u64) -> io::Result<bool> {
    use std::os::unix::fs::FileExt as _;
    match file.read_exact_at(room, at) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

impl Log {
    /// Where the log is damaged that this mark may belong to: as it tells itself, or because it ends
    /// before the mark.
    pub(super) fn damage(&self, mark: Option<Mark>) -> Option<u64> {
        let is_of_it = |mark: &Mark| Some(mark.salts) == self.salts;
        let lost = mark
            .filter(is_of_it)
            .is_some_and(|mark| self.end < mark.end);
        self.damaged.or(lost.then_some(self.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written_or_not_at_all() {
        let mark = Mark {
            salts: *b"saltsalt",
            end: 4152,
        };
        let bytes = mark.bytes();
        assert_eq!(Mark::read(&bytes), Some(mark));
        assert_eq!(Mark::read(&bytes[1..]), None);
        for bit in 0..BYTES * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Mark::read(&flipped), None, "bit {bit}");
        }
    }

    #[test]
    fn a_log_that_ends_before_its_mark_has_lost_something() {
        let log = Log {
            salts: Some([7; 8]),
            end: 5000,
            damaged: None,
        };
        let mark = |salt, end| {
            Some(Mark {
                salts: [salt; 8],
                end,
            })
        };
        assert_eq!(log.damage(mark(7, 5001)), Some(5000));
        assert_eq!(log.damage(mark(7, 5000)), None);
        assert_eq!(log.damage(mark(7, 4000)), None, "an older mark");
        assert_eq!(log.damage(mark(8, 9000)), None, "a mark of an older log");
        assert_eq!(log.damage(None), None);
    }
}
