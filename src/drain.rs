//! Ends a server of this machine in good order from outside, and waits until it has gone.

use std::io;

/// Why a server was not ended.
#[derive(Debug, thiserror::Error)]
pub enum DrainError {
    /// There is no such process, or it is another program.
    #[error("process {0} is no server of dice-of-doom")]
    NoServer(i32),
    /// It may not be ended by this user, or the system cannot do it.
    #[error("process {0} could not be told to end: {1}")]
    Refused(i32, io::Error),
}

/// Tells the server with this process number to end, and waits until it has gone.
///
/// # Errors
/// [`DrainError`]: nothing was ended, or not by this.
#[cfg(target_os = "linux")]
pub fn drain(pid: i32) -> Result<(), DrainError> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let no_server = || DrainError::NoServer(pid);
    let refused = |error: rustix::io::Errno| DrainError::Refused(pid, error.into());
    // From here on the number means this process, and no later one.
    let number = Pid::from_raw(pid).ok_or_else(no_server)?;
    let process = pidfd_open(number, PidfdFlags::empty()).map_err(|_| no_server())?;
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).map_err(|_| no_server())?;
    if name.trim_end() != "dice-of-doom" {
        return Err(no_server());
    }
    pidfd_send_signal(&process, Signal::TERM).map_err(refused)?;
    loop {
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], None) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(refused(error)),
        }
    }
}

/// Only Linux can wait for a process that is no child.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn drain(pid: i32) -> Result<(), DrainError> {
    Err(DrainError::Refused(pid, io::ErrorKind::Unsupported.into()))
}
