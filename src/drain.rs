//! Shuts down a server process on this machine gracefully and waits until it has exited.

use std::io;

/// Why a server was not shut down.
#[derive(Debug, thiserror::Error)]
pub enum DrainError {
    #[error("process {0} is not a dice-of-doom server")]
    NoServer(i32),
    /// This user may not signal it, or the system cannot wait for it.
    #[error("process {0} could not be signalled: {1}")]
    Refused(i32, io::Error),
}

/// Sends SIGTERM to the server with this process id and waits until it has exited.
///
/// # Errors
/// [`DrainError`]: the process was not signalled, or waiting failed.
#[cfg(target_os = "linux")]
pub fn drain(pid: i32) -> Result<(), DrainError> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let no_server = || DrainError::NoServer(pid);
    let refused = |error: rustix::io::Errno| DrainError::Refused(pid, error.into());
    // The pidfd refers to this process even if its id is reused.
    let raw_pid = Pid::from_raw(pid).ok_or_else(no_server)?;
    let process = pidfd_open(raw_pid, PidfdFlags::empty()).map_err(|_| no_server())?;
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

/// Unsupported: only Linux can wait for a process that is not a child.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn drain(pid: i32) -> Result<(), DrainError> {
    Err(DrainError::Refused(pid, io::ErrorKind::Unsupported.into()))
}
