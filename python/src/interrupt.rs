//! Searches that Ctrl-C ends.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use dice_of_doom_core::search::StopToken;
use pyo3::prelude::*;

/// How long a signal may wait.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs a search on a thread of its own, without the interpreter's lock. If a signal handler raises an exception
/// meanwhile, as that of Ctrl-C does, the search is stopped and the exception returned.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    search: impl FnOnce(&StopToken) -> T + Send,
) -> PyResult<T> {
    let stop = StopToken::new();
    let (sender, mut receiver) = channel();
    thread::scope(|scope| {
        let search_stop = stop.clone();
        // The thread owns the sender, so that a panic disconnects the channel.
        let searching = scope.spawn(move || {
            // Nobody receives after an exception.
            let _ = sender.send(search(&search_stop));
        });
        loop {
            let received;
            (received, receiver) = py.detach(move || {
                let received = receiver.recv_timeout(SIGNAL_INTERVAL);
                (received, receiver)
            });
            match received {
                Ok(found) => return Ok(found),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // The search panicked.
                    let panicked = searching.join().expect_err("it did not send");
                    resume_unwind(panicked);
                }
            }
            if let Err(exception) = py.check_signals() {
                stop.request_stop();
                return Err(exception);
            }
        }
    })
}
