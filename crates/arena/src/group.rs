//! A program together with all the programs that it starts: on Unix a process group, which is ended as a whole. So a
//! shell script leaves nothing behind that goes on when its arena has ended.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The groups that this process has started and not yet ended.
static RUNNING: Mutex<Running> = Mutex::new(Running {
    groups: Vec::new(),
    is_closed: false,
});

struct Running {
    /// The process numbers of the leaders.
    groups: Vec<u32>,
    /// No more are started.
    is_closed: bool,
}

/// A running program, which leads a process group of its own.
#[derive(Debug)]
pub(super) struct Group {
    leader: Child,
    has_ended: bool,
}

/// Kills every program that an arena of this process has started, with all that they have started, and lets none be
/// started any more. For a process that is about to end before its arena has.
pub fn kill_programs() {
    let mut running = running();
    running.is_closed = true;
    for leader in std::mem::take(&mut running.groups) {
        kill(leader);
    }
}

impl Group {
    /// Starts a program.
    pub(super) fn start(command: &mut Command) -> io::Result<Group> {
        let mut running = running();
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

    /// The program that was started.
    pub(super) const fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// Kills all that still runs of the group, and answers how its leader ended.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.has_ended {
            self.has_ended = true;
            let leader = self.leader.id();
            let mut running = running();
            if running.groups.contains(&leader) {
                running.groups.retain(|&group| group != leader);
                kill(leader);
            }
            drop(running);
            // Where there are no groups; an error says that it has ended already.
            let _ = self.leader.kill();
        }
        self.leader.wait()
    }

    /// Whether the leader has ended. Its number stays its own until [`Group::end`], so that no other process can have it
    /// when the group is killed.
    #[cfg(unix)]
    pub(super) fn has_leader_ended(&self) -> io::Result<bool> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let leader = WaitId::Pid(Pid::from_child(&self.leader));
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(leader, options)?.is_some())
    }

    /// Whether the leader has ended.
    #[cfg(not(unix))]
    pub(super) fn has_leader_ended(&mut self) -> io::Result<bool> {
        Ok(self.leader.try_wait()?.is_some())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What cannot be ended is the system's from here on.
        let _ = self.end();
    }
}

#[cfg(unix)]
fn kill(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
    if let Some(leader) = leader {
        // All of them may have ended, which is what is wanted.
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

/// Here programs end with their input.
#[cfg(not(unix))]
fn kill(_: u32) {}

fn running() -> MutexGuard<'static, Running> {
    // A list of numbers is whole after every step.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
