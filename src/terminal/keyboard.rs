//! An input that can be ended from outside, while somebody waits for what comes next.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The lines of an input, until it ends or is ended.
#[derive(Debug)]
pub struct Keyboard {
    lines: Receiver<io::Result<Vec<u8>>>,
    line: Vec<u8>,
    /// How much of the line is read.
    at: usize,
}

/// Ends the input of a [`Keyboard`].
#[derive(Clone, Debug)]
pub struct Hangup(SyncSender<io::Result<Vec<u8>>>);

impl Keyboard {
    /// Reads an input on a thread of its own, which ends with the input or the program.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn of(mut input: impl BufRead + Send + 'static) -> io::Result<(Self, Hangup)> {
        let (tell, lines) = sync_channel(1);
        let hangup = Hangup(tell.clone());
        thread::Builder::new().spawn(move || {
            loop {
                let mut line = Vec::new();
                // Lines may be long; whoever reads them keeps count.
                let read = input.by_ref().take(1 << 16).read_until(b'\n', &mut line);
                let is_last = !matches!(read, Ok(1..));
                if tell.send(read.map(|_| line)).is_err() || is_last {
                    break;
                }
            }
        })?;
        let keyboard = Keyboard {
            lines,
            line: Vec::new(),
            at: 0,
        };
        Ok((keyboard, hangup))
    }
}

impl Hangup {
    /// Whoever waits for input finds its end.
    pub fn hang_up(&self) {
        // Where there is no room for the end nobody waits.
        let _ = self.0.try_send(Ok(Vec::new()));
    }
}

impl Read for Keyboard {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Keyboard {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.line.len() {
            self.line = self.lines.recv().unwrap_or(Ok(Vec::new()))?;
            self.at = 0;
        }
        Ok(&self.line[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }
}
