//! Starting, serving and stopping.

use std::{
    io::{IsTerminal as _, Write as _},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use connect_core::{
    Connect, Failure,
    environment::Environment,
    storage::{
        Storage,
        memory::MemoryStorage,
        sled::{OpenError, SledOptions, SledStorage},
    },
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use crate::{
    app::{ConnectApp, Door},
    cli::{Arguments, Command, Options, StorageChoice},
    demo,
    net::{Limits, Listen, Server, StartError},
    welcome::Welcome,
};

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store did not open.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The user has no data folder.
    #[error("this user has no folder for data: choose one with --data DIR")]
    NoDataFolder,
    /// The address could not be served.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The demo's shop could not be set up.
    #[error("the demo could not be set up: {0}")]
    Demo(#[from] Failure),
    /// Standard output or the signals of the system could not be used.
    #[error(transparent)]
    System(#[from] std::io::Error),
}

/// How often upkeep is done.
const UPKEEP: Duration = Duration::from_secs(60);

/// Logs to standard error; `RUST_LOG` says how much.
pub fn start_logging() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}

/// Serves until Ctrl-C or SIGTERM, then lets running requests finish.
///
/// # Errors
/// The server could not be started.
pub async fn run(arguments: Arguments) -> Result<(), RunError> {
    let (options, is_demo) = match arguments.command {
        Command::Serve(options) => (options, false),
        Command::Demo(options) => (options, true),
    };
    // Before anything is shown: who reads the address may send the signal at once.
    let stopped = stop_signal()?;
    let connect = Connect::new(open(&options)?, Environment::system(), options.limits());
    let api = Server::bind(Listen {
        tls: options.tls(),
        plain: options.plain_http(),
        ..Listen::on(options.listen)
    })
    .await?;
    let owner = Server::bind(Listen {
        // The owner and a few probes: files are better spent on integrators.
        limits: Limits {
            connections: 50,
            ..Limits::default()
        },
        ..Listen::on(options.admin_listen)
    })
    .await?;

    let shop = if is_demo {
        Some(demo::open(&connect).await?)
    } else {
        demo::find(&connect).await?
    };
    let welcome = Welcome::new(&api, &owner, shop);
    let mut output = std::io::stdout().lock();
    if options.json {
        writeln!(output, "{}", welcome.to_json())?;
    } else {
        writeln!(output, "{welcome}")?;
    }
    output.flush()?;
    drop(output);

    let upkeep = tokio::spawn(keep_up(connect.clone()));
    tokio::join!(
        api.serve(
            ConnectApp::new(connect.clone(), Door::Api),
            wait(stopped.clone())
        ),
        owner.serve(ConnectApp::new(connect.clone(), Door::Owner), wait(stopped)),
    );
    upkeep.abort();
    // A failure is logged where it happens, and costs no more than the time of a token's last use.
    let _ = connect.write_down_uses().await;
    tracing::info!("stopped");
    Ok(())
}

fn open(options: &Options) -> Result<Arc<dyn Storage>, RunError> {
    let path = match &options.storage {
        Some(StorageChoice::Memory) => return Ok(Arc::new(MemoryStorage::new())),
        Some(StorageChoice::Sled(path)) => path.clone(),
        None => data_folder(options)?.join("store"),
    };
    let cache_bytes = options.cache.saturating_mul(1024 * 1024);
    tracing::info!(path = %path.display(), "opening the store");
    Ok(Arc::new(SledStorage::open(
        path,
        SledOptions { cache_bytes },
    )?))
}

fn data_folder(options: &Options) -> Result<PathBuf, RunError> {
    let chosen = options.data.clone();
    chosen
        .or_else(|| dirs::data_dir().map(|dir| dir.join("connect")))
        .ok_or(RunError::NoDataFolder)
}

/// Becomes true at Ctrl-C or SIGTERM.
fn stop_signal() -> Result<watch::Receiver<bool>, std::io::Error> {
    let (stop, stopped) = watch::channel(false);
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping: running requests may finish");
        stop.send_replace(true);
    });
    Ok(stopped)
}

async fn wait(mut stopped: watch::Receiver<bool>) {
    // An error would mean that the signal can no longer come.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

async fn keep_up(connect: Connect) {
    let mut rounds = tokio::time::interval(UPKEEP);
    loop {
        rounds.tick().await;
        // A failure is logged where it happens; the next round tries again.
        if let Ok(done) = connect.maintain().await {
            tracing::debug!(?done, "upkeep");
        }
    }
}
