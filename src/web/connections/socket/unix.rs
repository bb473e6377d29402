//! Unix sockets: their files, and sockets that were passed to this process.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use listenfd::ListenFd;
use tokio::net::{UnixListener, UnixStream};

use super::{Passed, SocketAccess};

/// How long whoever listens at a socket may take to accept a connection.
const TO_ANSWER: Duration = Duration::from_secs(2);

/// A Unix socket that takes connections.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    /// What is removed at the end.
    _file: Option<File>,
}

impl Socket {
    /// Makes a socket file. One that is there already is replaced if nobody listens at it.
    pub(super) async fn open(path: &Path, access: SocketAccess) -> io::Result<Self> {
        remove_stale(path).await?;
        let listener = UnixListener::bind(path)?;
        let file = File::at(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode(access)))?;
        Ok(Socket {
            listener,
            _file: Some(file),
        })
    }

    /// A socket whose file belongs to whoever passed it.
    pub(super) fn passed(listener: std::os::unix::net::UnixListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Socket {
            listener: UnixListener::from_std(listener)?,
            _file: None,
        })
    }

    pub(super) fn shown(&self) -> String {
        let address = self.listener.local_addr().ok();
        let path = address.as_ref().and_then(|address| address.as_pathname());
        path.map_or("a Unix socket without a name".to_owned(), |path| {
            format!("unix:{}", path.display())
        })
    }

    pub(super) async fn accept(&self) -> io::Result<UnixStream> {
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

/// Removes the socket file of a server that did not end in good order.
async fn remove_stale(path: &Path) -> io::Result<()> {
    let refused = |kind, why: &str| Err(io::Error::new(kind, why));
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(found) if !found.file_type().is_socket() => {
            let why = "there is a file of this name that is no socket";
            return refused(io::ErrorKind::AlreadyExists, why);
        }
        Ok(_) => {}
    }
    match tokio::time::timeout(TO_ANSWER, UnixStream::connect(path)).await {
        Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Ok(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        Ok(_) | Err(_) => refused(
            io::ErrorKind::AddrInUse,
            "another program listens there; choose another path with --listen",
        ),
    }
}

/// The file of a socket that this process has made; it is removed at the end, unless another one stands there by then.
#[derive(Debug)]
struct File {
    path: PathBuf,
    id: (u64, u64),
}

impl File {
    fn at(path: &Path) -> io::Result<Self> {
        // The working directory may change.
        let path = std::path::absolute(path)?;
        let id = id(&path)?;
        Ok(File { path, id })
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if id(&self.path).is_ok_and(|id| id == self.id) {
            // If it stays, the next start removes it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Device and inode.
fn id(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// The sockets that a service manager such as systemd has opened for this process. They are taken once; to be called
/// before other threads read the environment.
///
/// # Errors
/// When one is no socket that takes connections over TCP or a Unix socket.
pub fn passed() -> io::Result<Vec<Passed>> {
    let mut passed = ListenFd::from_env();
    let count = passed.len();
    let take = |at| match passed.take_unix_listener(at) {
        Ok(Some(listener)) => Ok(Passed::Unix(listener)),
        _ => match passed.take_tcp_listener(at)? {
            Some(listener) => Ok(Passed::Network(listener)),
            None => Err(io::ErrorKind::NotFound.into()),
        },
    };
    let all: io::Result<Vec<Passed>> = (0..count).map(take).collect();
    all.map_err(|error| {
        let why = format!("a socket that was passed (LISTEN_FDS) cannot be used: {error}");
        io::Error::new(error.kind(), why)
    })
}
