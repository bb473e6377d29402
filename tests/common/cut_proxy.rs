//! A proxy in front of PostgreSQL that cuts connections when and where a test wants.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// Where connections are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    Nothing,
    /// The next commit is executed, and its response is lost.
    AfterCommit,
    /// The next commit never arrives.
    BeforeCommit,
    /// All current connections.
    All,
}

/// Forwards TCP connections to the Unix socket of a PostgreSQL.
pub(crate) struct Proxy {
    pub(crate) url: String,
    state: Arc<State>,
}

struct State {
    cut: Mutex<Cut>,
    cuts: AtomicU32,
    /// Incremented to close all connections.
    generation: watch::Sender<u32>,
}

impl State {
    /// Whether to cut here; true once.
    fn take_cut(&self, cut: Cut) -> bool {
        let mut wanted = self.cut.lock().unwrap_or_else(PoisonError::into_inner);
        let is_here = *wanted == cut;
        if is_here {
            *wanted = Cut::Nothing;
            self.cuts.fetch_add(1, Ordering::Relaxed);
        }
        is_here
    }
}

impl Proxy {
    pub(crate) async fn start(url: &str) -> Self {
        let options: PgConnectOptions = url.parse().unwrap();
        let socket = options.get_socket().unwrap().join(".s.PGSQL.5432");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let database = options.get_database().unwrap();
        let url = format!("postgres://dice@127.0.0.1:{port}/{database}?sslmode=disable");
        let state = Arc::new(State {
            cut: Mutex::new(Cut::Nothing),
            cuts: AtomicU32::new(0),
            generation: watch::Sender::new(0),
        });
        let passing = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, socket.clone(), Arc::clone(&passing)));
            }
        });
        Proxy { url, state }
    }

    pub(crate) fn set(&self, cut: Cut) {
        *self
            .state
            .cut
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = cut;
        if cut == Cut::All {
            self.state.cuts.fetch_add(1, Ordering::Relaxed);
            self.state
                .generation
                .send_modify(|generation| *generation += 1);
        }
    }

    pub(crate) fn cuts(&self) -> u32 {
        self.state.cuts.load(Ordering::Relaxed)
    }
}

async fn pass(mut client: TcpStream, socket: PathBuf, state: Arc<State>) {
    let mut ends = state.generation.subscribe();
    let Ok(mut server) = UnixStream::connect(&socket).await else {
        return;
    };
    let (mut request, mut response) = ([0; 65_536], [0; 65_536]);
    loop {
        tokio::select! {
            _ = ends.changed() => return,
            read = client.read(&mut request) => {
                let Ok(1..) = read else { return };
                let sent = &request[..read.unwrap_or(0)];
                let commits = sent.windows(6).any(|word| word == b"COMMIT");
                if commits && state.take_cut(Cut::BeforeCommit) {
                    return;
                }
                if server.write_all(sent).await.is_err() {
                    return;
                }
                if commits && state.take_cut(Cut::AfterCommit) {
                    // Waits for the response, so that the commit has been executed, and discards it.
                    let _ = server.read(&mut response).await;
                    return;
                }
            }
            read = server.read(&mut response) => {
                let Ok(1..) = read else { return };
                if client.write_all(&response[..read.unwrap_or(0)]).await.is_err() {
                    return;
                }
            }
        }
    }
}
