//! Server-sent events, as far as a watcher counts them (WHATWG HTML, 9.2): plies with their numbers, and how long to
//! stay away.

use std::time::Duration;

/// What a message says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct SseMessage {
    /// The number of a ply.
    pub(super) ply: Option<u32>,
    /// How long to stay away after this stream.
    pub(super) retry: Option<Duration>,
}

/// What has come of a stream and was not read yet.
#[derive(Default)]
pub(super) struct Messages(Vec<u8>);

impl Messages {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// All whole messages, in order; the beginning of another is kept.
    pub(super) fn take(&mut self) -> Vec<SseMessage> {
        let mut messages = Vec::new();
        let mut read = 0;
        while let Some(length) = end_of_message(&self.0[read..]) {
            messages.push(message(&self.0[read..read + length]));
            read += length + END.len();
        }
        self.0.drain(..read);
        messages
    }
}

const END: &[u8] = b"\n\n";

fn end_of_message(bytes: &[u8]) -> Option<usize> {
    bytes.windows(END.len()).position(|some| some == END)
}

fn message(bytes: &[u8]) -> SseMessage {
    let (mut is_ply, mut id, mut retry) = (false, None, None);
    for line in bytes.split(|byte| *byte == b'\n') {
        if line == b"event: ply" {
            is_ply = true;
        } else if let Some(digits) = line.strip_prefix(b"id: ") {
            id = number(digits);
        } else if let Some(digits) = line.strip_prefix(b"retry: ") {
            retry = number(digits);
        }
    }
    SseMessage {
        ply: id.filter(|_| is_ply),
        retry: retry.map(|ms| Duration::from_millis(ms.into())),
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_wherever_they_were_cut() {
        let text = "retry: 1873\n\nevent: watchers\ndata: {\"count\":2}\n\nevent: ply\nid: 17\ndata: {}\n\n\
                    : still here\n\nevent: bye\nretry: 2210\ndata: {}\n\n";
        let ms = |ms| Some(Duration::from_millis(ms));
        let (ply, retry) = (None, None);
        let expected = [
            SseMessage {
                ply,
                retry: ms(1873),
            },
            SseMessage { ply, retry },
            SseMessage {
                ply: Some(17),
                retry,
            },
            SseMessage { ply, retry },
            SseMessage {
                ply,
                retry: ms(2210),
            },
        ];
        for cut in 0..text.len() {
            let mut messages = Messages::default();
            messages.push(&text.as_bytes()[..cut]);
            let mut heard = messages.take();
            messages.push(&text.as_bytes()[cut..]);
            heard.extend(messages.take());
            assert_eq!(heard, expected, "cut at {cut}");
        }
    }
}
