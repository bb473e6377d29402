//! Unix sockets: their files, and inherited sockets.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use listenfd::ListenFd;
use tokio::net::{UnixListener, UnixStream};

use super::{Passed, SocketAccess};

/// How long another process may take to accept a connection at a socket.
const ACCEPT_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    /// Removes the socket file on drop.
    _file: Option<File>,
}

impl Socket {
    /// Creates a socket file. An existing one is replaced if no process listens on it.
    pub(crate) async fn open(path: &Path, access: SocketAccess) -> io::Result<Self> {
        remove_stale(path).await?;
        let listener = UnixListener::bind(path)?;
        let file = File::new(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode(access)))?;
        Ok(Socket {
            listener,
            _file: Some(file),
        })
    }

    /// Wraps an inherited socket, whose file belongs to another process.
    pub(crate) fn passed(listener: std::os::unix::net::UnixListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Socket {
            listener: UnixListener::from_std(listener)?,
            _file: None,
        })
    }

    pub(crate) fn shown(&self) -> String {
        let address = self.listener.local_addr().ok();
        let path = address.as_ref().and_then(|address| address.as_pathname());
        path.map_or("a Unix socket without a name".to_owned(), |path| {
            format!("unix:{}", path.display())
        })
    }

    pub(crate) async fn accept(&self) -> io::Result<UnixStream> {
        Ok(self.listener.accept().await?.0)
    }
}

const fn mode(access: SocketAccess) -> u32 {
    match access {
        SocketAccess::Owner => 0o600,
        SocketAccess::Group => 0o660,
        SocketAccess::Everybody => 0o666,
    }
}

/// Removes the socket file of a server that was not shut down properly.
async fn remove_stale(path: &Path) -> io::Result<()> {
    let fail = |kind, message: &str| Err(io::Error::new(kind, message));
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(metadata) if !metadata.file_type().is_socket() => {
            let message = "there is a file of this name that is no socket";
            return fail(io::ErrorKind::AlreadyExists, message);
        }
        Ok(_) => {}
    }
    match tokio::time::timeout(ACCEPT_TIMEOUT, UnixStream::connect(path)).await {
        Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Ok(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        Ok(_) | Err(_) => fail(
            io::ErrorKind::AddrInUse,
            "another program listens there; choose another path with --listen",
        ),
    }
}

/// The socket file that this process created; it is removed on drop, unless it was replaced.
#[derive(Debug)]
struct File {
    path: PathBuf,
    id: (u64, u64),
}

impl File {
    fn new(path: &Path) -> io::Result<Self> {
        // The working directory may change.
        let path = std::path::absolute(path)?;
        let id = file_id(&path)?;
        Ok(File { path, id })
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if file_id(&self.path).is_ok_and(|id| id == self.id) {
            // If this fails, the next start removes it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Device and inode number.
fn file_id(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// The sockets inherited from a service manager such as systemd. Must be called once, before other threads read the
/// environment.
///
/// # Errors
/// If one is not a listening TCP or Unix socket.
pub fn passed() -> io::Result<Vec<Passed>> {
    let mut passed = ListenFd::from_env();
    let count = passed.len();
    let take = |index| match passed.take_unix_listener(index) {
        Ok(Some(listener)) => Ok(Passed::Unix(listener)),
        _ => match passed.take_tcp_listener(index)? {
            Some(listener) => Ok(Passed::Network(listener)),
            None => Err(io::ErrorKind::NotFound.into()),
        },
    };
    let all: io::Result<Vec<Passed>> = (0..count).map(take).collect();
    all.map_err(|error| {
        let message = format!("a socket that was passed (LISTEN_FDS) cannot be used: {error}");
        io::Error::new(error.kind(), message)
    })
}
