//! Terminal input that another thread can end while it is being waited for.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The lines of an input.
#[derive(Debug)]
pub struct Keyboard {
    lines: Receiver<io::Result<Vec<u8>>>,
    line: Vec<u8>,
    /// The number of bytes of the line that have been consumed.
    consumed: usize,
}

/// Ends the input of a [`Keyboard`].
#[derive(Clone, Debug)]
pub struct Hangup(SyncSender<io::Result<Vec<u8>>>);

impl Keyboard {
    /// Reads the input on a separate thread, which ends with the input or the program.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn new(mut input: impl BufRead + Send + 'static) -> io::Result<(Self, Hangup)> {
        let (sender, lines) = sync_channel(1);
        let hangup = Hangup(sender.clone());
        thread::Builder::new().spawn(move || {
            loop {
                let mut line = Vec::new();
                // Long lines are split into chunks; the reader limits their total length.
                let read = input.by_ref().take(1 << 16).read_until(b'\n', &mut line);
                let is_last = !matches!(read, Ok(1..));
                if sender.send(read.map(|_| line)).is_err() || is_last {
                    break;
                }
            }
        })?;
        let keyboard = Keyboard {
            lines,
            line: Vec::new(),
            consumed: 0,
        };
        Ok((keyboard, hangup))
    }
}

impl Hangup {
    /// Signals the end of input to a waiting reader.
    pub fn end_input(&self) {
        // If the channel is full, the reader is not waiting.
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
        if self.consumed == self.line.len() {
            self.line = self.lines.recv().unwrap_or(Ok(Vec::new()))?;
            self.consumed = 0;
        }
        Ok(&self.line[self.consumed..])
    }

    fn consume(&mut self, bytes: usize) {
        self.consumed += bytes;
    }
}
