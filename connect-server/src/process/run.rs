//! The commands: starting, serving and stopping.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use connect_core::{
    Connect, Error,
    environment::{Clock as _, Mailer, SystemClock},
    wire::Timestamp,
};
use rustix::process::geteuid;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use super::{
    config,
    deliveries::{self, DeliveriesError},
    fd_limit,
    listeners::Listeners,
    reload::{Hangups, keep_up_to_date},
    stop::{self, asked},
    store_watchdog::until_dead,
    supervisor::keep_running,
    umask,
    upkeep::{flush_requests, flush_token_usage, maintain},
    warnings::{self, ProcessInfo},
};
use crate::{
    api::{ConnectApp, ListenerKind, templates},
    cli::{
        Arguments, Command, ImagePlace, KeyFileError, NoKeys, Options,
        admin::{self, AdminCredentials, AdminCredentialsFile},
        backup::{self, Backups},
        check::{self, Use},
        clock_check::{self, ClockSkew},
        health,
        import_guard::{self, UnfinishedImport},
        moving,
        secret_keys::SecretKeySource,
        secrets,
        startup_banner::StartupBanner,
        store::{NoDataFolder, OtherOwner, Store, StoreError, StoreHealth},
    },
    net::{Server, StartError, networks::Networks},
    sandbox::{
        ClockFileError, SandboxClock,
        demo::{self, Shop},
    },
    telemetry::{
        audit::{self, Action, Subject},
        metrics::{Exporter, MetricsTokenError, Readers, Requests, Sources},
    },
    workers::{
        images::{Copies, CopiesError, FoldersOverlap, ImageService, PublicUrl, check_apart},
        mail::SmtpError,
        outbound::{AddressGuard, OutboundError},
        providers::ProviderClient,
        webhooks::{PublicWebhooks, WebhookClient},
    },
};

/// The reason for a failed start or an early end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store did not open.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The user has no data folder.
    #[error(transparent)]
    NoDataFolder(#[from] NoDataFolder),
    /// Root was to serve the store of another user.
    /// Its owner could not open it again afterwards.
    #[error(transparent)]
    Owner(#[from] OtherOwner),
    /// The file of a sandbox's clock cannot be read.
    #[error(transparent)]
    ClockFile(#[from] ClockFileError),
    /// An import into the store did not finish.
    #[error(transparent)]
    UnfinishedImport(#[from] UnfinishedImport),
    /// The mark of a restored store cannot be read.
    #[error(transparent)]
    Deliveries(#[from] DeliveriesError),
    /// The file of keys for stored secrets cannot be used.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// There is no key for stored secrets.
    #[error(transparent)]
    Keys(#[from] NoKeys),
    /// The machine's clock cannot be right.
    #[error(transparent)]
    Clock(#[from] ClockSkew),
    /// The rows of an older program could not be changed.
    #[error(
        "the rows of an older version could not be changed for this one: {}; nothing is lost: mend that (run \
         `connect-server check` if the store is damaged), start the server again, and it continues",
        .0.cause()
    )]
    Migration(Error),
    /// The store has failed, and could not be opened again.
    #[error("the store has failed and could not be opened again: {0}")]
    Dead(String),
    /// The address could not be served.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The folder or the bucket for images cannot be used.
    #[error(transparent)]
    Copies(#[from] CopiesError),
    /// The folders of images and of the store overlap.
    #[error(transparent)]
    Folders(#[from] FoldersOverlap),
    /// Requests to other servers cannot be made.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// Mail to owners cannot be sent.
    #[error(transparent)]
    Mail(#[from] SmtpError),
    /// The token for the metrics cannot be used.
    #[error(transparent)]
    Metrics(#[from] MetricsTokenError),
    /// The demo's shop could not be set up.
    #[error("the demo could not be set up: {}", .0.cause())]
    Demo(#[from] Error),
    /// The signals of the system could not be used.
    #[error(transparent)]
    System(#[from] std::io::Error),
}

/// Runs the command of the command line.
/// A server runs until Ctrl-C or SIGTERM, then lets running requests finish. Other commands check or move a
/// store, for example.
///
/// # Errors
/// The server could not be started, or its store is dead. For other commands see the exit code.
pub async fn run(arguments: Arguments) -> Result<ExitCode, RunError> {
    umask::only_for_owner();
    // `serve` and `demo` warn of more than the store, `config` shows all warnings, and `health` opens no store.
    let warns_itself = matches!(
        arguments.command,
        Command::Serve(_) | Command::Demo(_) | Command::Config(_) | Command::Health(_)
    );
    if let (false, Ok(choice)) = (warns_itself, arguments.store().choice()) {
        for warning in warnings::of_store(&choice, ProcessInfo::find()) {
            tracing::warn!("{warning}");
        }
    }
    match arguments.command {
        Command::Serve(options) => serve(options, false).await,
        Command::Demo(options) => serve(options, true).await,
        Command::Config(options) => return Ok(config::run(&options)?),
        Command::Health(options) => return Ok(health::run(&options).await),
        Command::Check(options) => return Ok(check::run(&options, Use::Check).await),
        Command::Repair(options) => return Ok(check::run(&options, Use::Repair).await),
        Command::Backup(options) => return Ok(backup::run(&options).await),
        Command::Export(options) => return Ok(moving::export(&options).await),
        Command::Import(options) => return Ok(moving::import(&options).await),
        Command::Restore(options) => return Ok(moving::restore(&options).await),
        Command::Account { options, command } => {
            return Ok(admin::run(&options, command.into(), None).await);
        }
        Command::Location { options, command } => {
            return Ok(admin::run(&options, command.into(), None).await);
        }
        Command::Token { options, command } => {
            return Ok(admin::run(&options, command.into(), None).await);
        }
        Command::User { options, command } => {
            return Ok(admin::run(&options, command.into(), None).await);
        }
        Command::Screen { options, command } => {
            return Ok(admin::run(&options, command.into(), None).await);
        }
        Command::Trail { options, command } => {
            return Ok(admin::run(&options, command.into(), None).await);
        }
        Command::Webhook {
            options,
            allow_networks,
            command,
        } => {
            return Ok(admin::run(&options, command.into(), allow_networks).await);
        }
        Command::Secrets { options, command } => {
            return Ok(secrets::run(&options, command).await);
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(options: Options, is_demo: bool) -> Result<(), RunError> {
    // Before the address is printed: a reader of it may send the signal at once.
    let (stop, stopped) = stop_signal()?;
    let hangups = Hangups::take()?;
    fd_limit::raise();
    for warning in warnings::of(&options, is_demo, ProcessInfo::find()) {
        tracing::warn!("{warning}");
    }
    let readers = Readers::of(options.metrics_token.as_ref(), options.admin_is_private())?;
    let mailer = options.mail.mailer()?;
    let mailer = mailer.map(|mailer| Arc::new(mailer) as Arc<dyn Mailer>);
    let start = Started::of(&options, is_demo);
    let Some(started) = stop::unless_asked(start, stopped.clone()).await else {
        tracing::info!("stopped before the start had ended");
        return Ok(());
    };
    let Started {
        at: started,
        connect,
        health,
        backups,
        clock,
        holds_deliveries,
        webhooks,
        providers,
        listeners,
        images,
        shop,
    } = started?;
    let credentials = AdminCredentials::new(listeners.commands_url());
    let Listeners {
        api,
        owner,
        commands,
        certificate,
    } = listeners;

    let interval = options.webhooks.interval(is_demo);
    let host_limits = options.webhooks.host_limits();
    let api_url = match &options.images.public_url {
        Some(public) => format!("{public}/v1"),
        None => format!("{}/v1", api.url()),
    };
    let owner_url = match &options.admin_url {
        Some(public) => public.to_string(),
        None => owner.url(),
    };
    // Only a public address is of use in a mail.
    let webhook_pages = options.admin_url.as_ref();
    let webhook_pages = webhook_pages.map(|url| format!("{url}/dashboard/webhooks"));
    let banner = StartupBanner::new(&api, &owner, &owner_url, shop);
    let pass_file = options.store.credentials();
    // Before the banner is printed: a reader of it may give a command at once.
    let pass_file = pass_file.and_then(|path| write_pass(path, &credentials));
    if let Err(error) = banner.print(options.json) {
        tracing::warn!(%error, url = api.url(), "serving, but the welcome could not be printed");
    }

    let reload = keep_up_to_date(hangups, certificate.clone(), stop.clone());
    let reload = tokio::spawn(reload);
    let store = health.clone();
    let watch = tokio::spawn(until_dead(move || store.now(), stop));
    let requests = Arc::new(Requests::to(templates()));
    let app = |listener_kind| {
        let health = health.clone();
        ConnectApp::with_health(connect.clone(), listener_kind, move || health.now())
            .counted_by(&requests)
    };
    let sources = Sources {
        connect: connect.clone(),
        health: Box::new({
            let health = health.clone();
            move || health.now()
        }),
        scrub: Box::new({
            let health = health.clone();
            move || health.scrub()
        }),
        loads: [("api", api.load()), ("owner", owner.load())],
        certificate,
        folder: options.store.choice()?.path().map(Path::to_owned),
        started,
    };
    let exporter = Exporter::new(requests.clone(), sources);
    let public = options.images.public_url.as_ref();
    let of_api = match public {
        Some(public) => app(ListenerKind::Api).with_public_url(public),
        None => app(ListenerKind::Api),
    };
    let with_commands = |app: ConnectApp| {
        app.with_commands(&credentials, &owner_url)
            .with_backups(&backups, &credentials)
    };
    let of_owner = app(ListenerKind::Owner)
        .with_metrics(exporter, readers)
        .with_dashboard(
            &api_url,
            &owner_url,
            is_demo.then_some(clock),
            Some(providers),
        );
    let of_owner = match commands {
        Some(_) => of_owner,
        None => with_commands(of_owner),
    };
    let work = async {
        tokio::join!(
            api.serve(
                of_api.with_images(images.copies()).with_kept_requests(),
                asked(stopped.clone())
            ),
            owner.serve(of_owner, asked(stopped.clone())),
            async {
                if let Some(commands) = commands {
                    let of_operator = with_commands(app(ListenerKind::Operator));
                    commands.serve(of_operator, asked(stopped.clone())).await;
                }
            },
            keep_running("images", stopped.clone(), || {
                let worker = connect.image_worker(Arc::new(images.clone()));
                let stop = asked(stopped.clone());
                async move {
                    match holds_deliveries {
                        true => stop.await,
                        false => worker.run(stop).await,
                    }
                }
            }),
            keep_running("webhooks", stopped.clone(), || {
                let worker = connect.webhook_worker(webhooks.clone(), mailer.clone());
                let mut worker = worker.with_host_limits(host_limits);
                if let Some(pages) = &webhook_pages {
                    worker = worker.with_pages(pages.as_str());
                }
                let stop = asked(stopped.clone());
                async move {
                    match holds_deliveries {
                        true => stop.await,
                        false => worker.run(interval, stop).await,
                    }
                }
            }),
            keep_running("mail", stopped.clone(), || {
                let mailer = mailer.clone().filter(|_| connect.queues_mail());
                let pages = format!("{owner_url}/dashboard");
                let worker = mailer.map(|mailer| connect.mail_worker(mailer, pages));
                let stop = asked(stopped.clone());
                async move {
                    match worker {
                        None => stop.await,
                        Some(worker) => worker.run(stop).await,
                    }
                }
            }),
            keep_running("last uses", stopped.clone(), || {
                let (connect, stop) = (connect.clone(), asked(stopped.clone()));
                async move {
                    tokio::select! {
                        () = flush_token_usage(connect) => {}
                        () = stop => {}
                    }
                }
            }),
            keep_running("last requests", stopped.clone(), || {
                let (connect, stop) = (connect.clone(), asked(stopped.clone()));
                async move {
                    tokio::select! {
                        () = flush_requests(connect) => {}
                        () = stop => {}
                    }
                }
            }),
            keep_running("maintenance", stopped.clone(), || {
                let (connect, stop) = (connect.clone(), asked(stopped.clone()));
                async move {
                    tokio::select! {
                        () = maintain(connect) => {}
                        () = stop => {}
                    }
                }
            }),
        );
    };
    stop::in_time(work, stopped.clone()).await;
    drop(pass_file);
    watch.abort();
    reload.abort();
    if let Ok(reason) = watch.await {
        return Err(RunError::Dead(reason));
    }
    let unwritten = async {
        let (uses, requests) = tokio::join!(connect.flush_token_usage(), connect.flush_requests());
        uses.and(requests)
    };
    let unwritten = match stop::last_note(unwritten).await {
        Some(written) => written.err().map(|error| error.cause()),
        None => Some("the store gives no answer".into()),
    };
    if let Some(cause) = unwritten {
        tracing::warn!(cause, "the last uses and requests of tokens were not saved");
    }
    tracing::info!("stopped");
    Ok(())
}

/// All services, opened and not yet served.
struct Started {
    at: Timestamp,
    connect: Connect,
    health: StoreHealth,
    backups: Backups,
    clock: Arc<SandboxClock>,
    /// Set for a copy on trial.
    /// Its workers do nothing until the server stops.
    holds_deliveries: bool,
    webhooks: Arc<WebhookClient>,
    providers: ProviderClient,
    listeners: Listeners,
    images: ImageService,
    /// The shop of the demo.
    shop: Option<Shop>,
}

impl Started {
    /// Opens the store and all other parts.
    ///
    /// # Errors
    /// See [`RunError`].
    async fn of(options: &Options, is_demo: bool) -> Result<Self, RunError> {
        let store = open(options).await?;
        import_guard::check(&*store.storage()).await?;
        let (holds_deliveries, is_taken_over) =
            deliveries::are_held(options, &*store.storage()).await?;
        let health = store.health();
        let at = SystemClock.now();
        let clock = SandboxClock::of(store.storage(), options.store.choice()?.clock()).await?;
        match clock.ahead() {
            0 => {}
            seconds => tracing::warn!(
                seconds,
                "the clock of this store is ahead, as its sandbox has set it"
            ),
        }
        let allowed = allowed_networks(options, is_demo);
        let guard = AddressGuard::allowing(allowed.clone());
        let webhooks = Arc::new(WebhookClient::new(guard.clone())?);
        let providers = ProviderClient::new(guard.clone())?;
        let keys = SecretKeySource::of(&options.store, &options.store.choice()?)?;
        let copies = copies(options).await?;
        let mut builder = Connect::builder(store.storage())
            .clock(clock.clone())
            .signing_clock(Arc::new(SystemClock))
            .secret_keys(keys.keys())
            .limits(options.limits())
            .storage_limits(options.account_limits.limits())
            .trail_days(options.trail_days)
            .image_links(Arc::new(guard.clone()))
            .image_copies(Arc::new(copies.clone()))
            .webhook_links(Arc::new(PublicWebhooks::new(guard)));
        if options.store.choice()?.is_shared() {
            builder = builder.share_limits();
        }
        if holds_deliveries {
            builder = builder.hold_deliveries();
        } else if options.mail.is_configured() {
            builder = builder.queue_mail();
        }
        let connect = builder.build();
        if is_taken_over {
            admin::note(&connect, Action::DeliverFromStore).await;
        }
        let backups = Backups::new(move || store.freeze());
        check_clock(&connect, clock.now(), options.trust_clock).await?;
        keys.prepare(&connect).await?;
        let listeners = Listeners::bind(options).await?;
        let images = images(options, copies, allowed, &listeners.api)?;
        // Last, as older programs are refused from then on: a wrong setting should not end their service.
        connect.migrate().await.map_err(RunError::Migration)?;
        let shop = if is_demo {
            Some(demo::open(&connect).await?)
        } else {
            demo::find(&connect).await?
        };
        Ok(Self {
            at,
            connect,
            health,
            backups,
            clock,
            holds_deliveries,
            webhooks,
            providers,
            listeners,
            images,
            shop,
        })
    }
}

/// Refuses a clock in doubt, unless it is trusted.
async fn check_clock(connect: &Connect, now: Timestamp, is_trusted: bool) -> Result<(), RunError> {
    match clock_check::check(connect, now).await {
        Err(doubt) if is_trusted => {
            tracing::warn!(%doubt, "the clock is trusted");
            // The next start needs no trust then.
            let trusted = connect.accept_clock().await;
            let status = audit::status_of_result(&trusted);
            admin::write_down(Action::TrustClock, Subject::default(), status);
            trusted?;
            admin::note(connect, Action::TrustClock).await;
            Ok(())
        }
        clock => Ok(clock?),
    }
}

/// Returns the allowed networks besides the public internet.
/// Images are taken from them, and webhooks are sent to them.
fn allowed_networks(options: &Options, is_demo: bool) -> Networks {
    let allowed = options.images.allow_networks.clone().unwrap_or_default();
    if !is_demo {
        return allowed;
    }
    tracing::info!(
        "the demo also takes images from this machine and sends webhooks to it, over plain HTTP too"
    );
    allowed.and(Networks::loopback())
}

/// Writes the credentials for commands to this server into their file.
/// A server without the file serves, but takes no commands.
fn write_pass(path: PathBuf, credentials: &AdminCredentials) -> Option<AdminCredentialsFile> {
    let shown = path.display().to_string();
    AdminCredentialsFile::write(path, credentials)
        .inspect_err(|error| {
            tracing::warn!(path = shown, %error, "connect-server commands cannot reach this server");
        })
        .ok()
}

/// Opens the copies of images.
async fn copies(options: &Options) -> Result<Copies, RunError> {
    Ok(match options.image_place(&options.store.choice()?) {
        ImagePlace::Folder(folder) => Copies::in_folder(&folder)?,
        ImagePlace::Bucket(address) => Copies::in_bucket(&address, env::vars_os()).await?,
        ImagePlace::Memory => Copies::in_memory(),
    })
}

/// Makes the image service, with links to the address of `api`.
fn images(
    options: &Options,
    copies: Copies,
    allowed: Networks,
    api: &Server,
) -> Result<ImageService, RunError> {
    let wanted = &options.images;
    let public = wanted.public_url.clone().unwrap_or_else(|| {
        if api.address().ip().is_unspecified() {
            tracing::warn!("links to images do not work: set --public-url");
        }
        PublicUrl::of(api)
    });
    Ok(ImageService::new(
        copies,
        public,
        allowed,
        wanted.deadline(),
    )?)
}

async fn open(options: &Options) -> Result<Store, RunError> {
    let choice = options.store.choice()?;
    if let (Some(images), Some(store)) = (options.image_place(&choice).folder(), choice.path()) {
        check_apart(images, store)?;
    }
    if geteuid().is_root() {
        choice.check_owner()?;
    }
    tracing::info!(storage = %choice, "opening the store");
    Ok(Store::open(&choice, &options.store).await?)
}

/// Becomes true at Ctrl-C, SIGTERM, or a request to stop.
fn stop_signal() -> Result<(watch::Sender<bool>, watch::Receiver<bool>), std::io::Error> {
    let (stop, stopped) = watch::channel(false);
    let signalled = stop.clone();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping: running requests may finish");
        signalled.send_replace(true);
    });
    Ok((stop, stopped))
}

#[cfg(test)]
mod tests {
    use connect_core::{environment::ManualClock, storage::memory::MemoryStorage};

    use super::*;

    #[tokio::test]
    async fn a_clock_in_doubt_is_trusted_once() {
        let store = Arc::new(MemoryStorage::new());
        let now = SystemClock.now();
        let later = ManualClock::at(now.plus_seconds(7_200));
        let former = Connect::builder(store.clone()).clock(later).build();
        former.accept_clock().await.unwrap();
        let connect = Connect::builder(store).build();
        for (is_trusted, is_served) in [(false, false), (true, true), (false, true)] {
            let checked = check_clock(&connect, now, is_trusted).await;
            assert_eq!(checked.is_ok(), is_served, "{checked:?}");
        }
    }
}
