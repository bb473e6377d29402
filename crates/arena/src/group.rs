//! Process groups of external programs. On Unix each program leads a process group, which is killed as a whole, so that
//! child processes of a shell script do not outlive the arena.

use std::io;
use std::process::{Child, Command, ExitStatus};

use parking_lot::{Mutex, MutexGuard};

/// The groups that this process has started and not yet terminated.
static RUNNING: Mutex<Running> = Mutex::new(Running {
    groups: Vec::new(),
    is_closed: false,
});

struct Running {
    /// The process ids of the leaders.
    groups: Vec<u32>,
    /// If set, no more programs are started.
    is_closed: bool,
}

/// A running program that leads its own process group.
#[derive(Debug)]
pub(super) struct Group {
    leader: Child,
    has_ended: bool,
}

/// Kills all programs of this process's arenas with their child processes, and prevents new ones from being started.
/// For a process that is about to exit before its arena ends.
pub fn kill_programs() {
    let mut running = lock_running();
    running.is_closed = true;
    for leader in std::mem::take(&mut running.groups) {
        kill_group(leader);
    }
}

impl Group {
    /// Starts a program; fails after [`kill_programs`].
    pub(super) fn start(command: &mut Command) -> io::Result<Group> {
        let mut running = lock_running();
        if running.is_closed {
            return Err(io::ErrorKind::Interrupted.into());
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let leader = command.spawn()?;
        running.groups.push(leader.id());
        Ok(Group {
            leader,
            has_ended: false,
        })
    }

    /// The process of the program.
    pub(super) const fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// Kills the remaining processes of the group and returns the exit status of its leader.
    pub(super) fn terminate(&mut self) -> io::Result<ExitStatus> {
        if !self.has_ended {
            self.has_ended = true;
            let leader = self.leader.id();
            let mut running = lock_running();
            if running.groups.contains(&leader) {
                running.groups.retain(|&group| group != leader);
                kill_group(leader);
            }
            drop(running);
            // For systems without process groups; an error means that the process has already exited.
            let _ = self.leader.kill();
        }
        self.leader.wait()
    }

    /// Whether the leader has exited. It is not reaped before [`Group::terminate`], so that its process id cannot be
    /// reused when the group is killed.
    #[cfg(unix)]
    pub(super) fn has_leader_ended(&self) -> io::Result<bool> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let leader = WaitId::Pid(Pid::from_child(&self.leader));
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(leader, options)?.is_some())
    }

    /// Whether the leader has exited.
    #[cfg(not(unix))]
    pub(super) fn has_leader_ended(&mut self) -> io::Result<bool> {
        Ok(self.leader.try_wait()?.is_some())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nothing else can be done if this fails.
        let _ = self.terminate();
    }
}

#[cfg(unix)]
fn kill_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
    if let Some(leader) = leader {
        // An error means that all processes have already exited.
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

/// Without process groups only the leader is killed, by [`Group::terminate`].
#[cfg(not(unix))]
fn kill_group(_: u32) {}

fn lock_running() -> MutexGuard<'static, Running> {
    RUNNING.lock()
}
