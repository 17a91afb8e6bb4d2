//! A PostgreSQL for tests, started from the binaries of this machine.

mod bare;
mod replica;

use std::{
    env, fs,
    io::{self, ErrorKind, Read as _, Write as _},
    net::TcpListener,
    os::unix::{fs::chown, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::runtime;
use tokio_postgres::{Config, NoTls};

pub use self::bare::Bare;

/// The environment variable with the address of an existing database server.
/// The server is used instead of a new one. Its user must be allowed to create databases.
pub const ADDRESS: &str = "CONNECT_TEST_POSTGRES";

/// Returns true if a PostgreSQL for tests is available.
/// If not, it prints a note to standard error.
pub fn is_here() -> bool {
    server().is_some()
}

/// A separate database for a test, removed when dropped.
#[derive(Debug)]
pub struct TestDatabase {
    server: Config,
    name: String,
}

impl TestDatabase {
    /// Creates a database.
    /// Returns `None`, with a note on standard error, if there is no PostgreSQL.
    ///
    /// # Panics
    /// The server does not work.
    pub fn new() -> Option<Self> {
        Some(Self::on(server()?))
    }

    /// Creates a database on a server.
    ///
    /// # Panics
    /// The server does not work.
    pub fn on(server: Config) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("connect_test_{}_{number}", std::process::id());
        execute(&server, &format!("CREATE DATABASE {name}")).expect("a database can be made");
        Self { server, name }
    }

    /// The address for opening a store.
    pub fn address(&self) -> String {
        self.address_at(self.port())
    }

    /// The address over a local proxy at another port.
    pub fn address_at(&self, port: u16) -> String {
        let user = self.server.get_user().unwrap_or("postgres");
        let password = self.server.get_password();
        let password = password.map(|password| String::from_utf8_lossy(password).into_owned());
        let password = password.map_or_else(String::new, |password| format!(":{password}"));
        let name = &self.name;
        format!("postgres://{user}{password}@127.0.0.1:{port}/{name}?sslmode=disable")
    }

    /// Executes statements, as an operator or another program does.
    ///
    /// # Panics
    /// The database refuses them.
    pub fn execute(&self, sql: &str) {
        let config = self.address().parse().expect("it is an address");
        execute(&config, sql).expect("the database executes the statements");
    }

    /// The port of the server.
    pub fn port(&self) -> u16 {
        self.server.get_ports().first().copied().unwrap_or(5432)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // The databases of a stopped server are gone already.
        let _ = execute(
            &self.server,
            &format!("DROP DATABASE {} WITH (FORCE)", self.name),
        );
    }
}

/// Executes statements on a separate connection, also within a runtime.
fn execute(config: &Config, sql: &str) -> Result<(), tokio_postgres::Error> {
    let work = || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime can be made").block_on(async {
            let (client, connection) = config.connect(NoTls).await?;
            let connection = tokio::spawn(connection);
            let done = client.batch_execute(sql).await;
            drop(client);
            let _ = connection.await;
            done
        })
    };
    thread::scope(|scope| scope.spawn(work).join()).expect("the statements do not panic")
}

/// The server for all tests of this process.
fn server() -> Option<Config> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    if let Ok(address) = env::var(ADDRESS) {
        return Some(
            address
                .parse()
                .expect("CONNECT_TEST_POSTGRES is an address"),
        );
    }
    // Test data need not survive a power loss.
    let cluster = CLUSTER.get_or_init(|| Cluster::start(false));
    cluster.as_ref().map(Cluster::config)
}

/// Finds these programs of PostgreSQL, on `PATH` or in Debian's folder.
fn binaries(programs: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path);
    let versions = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let of_debian = versions.map(|version| version.path().join("bin"));
    let has_all = |folder: &PathBuf| programs.iter().all(|name| folder.join(name).exists());
    on_path.chain(of_debian).find(has_all)
}

/// A database server in its own folder.
/// It ends with this process, however the process ends.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    port: u16,
    /// The shell around the server, until its standard input is closed.
    keeper: Child,
}

/// Runs the server until the end of the shell's input.
/// The process that made the shell holds its input open. At the end, the shell stops the server and removes
/// the folder. A line `crash` kills the server, and a line `start` starts it again.
const KEEPER: &str = r#"
run() {
    "$0" -D data -p "$1" -h 127.0.0.1 -k "$PWD" -c max_connections=300 -c fsync="$2" \
        -c shared_buffers="$3" -c synchronous_commit=on -c deadlock_timeout=50ms >>log 2>&1 </dev/null &
    echo $! >pid.new && mv pid.new pid
}
run "$1" "$2" "$3"
while read -r word; do
    case "$word" in
        crash) kill -QUIT "$(cat pid)"; wait; rm pid ;;
        start) run "$1" "$2" "$3" ;;
    esac
done
kill -QUIT "$(cat pid)" 2>/dev/null
wait
cd / && rm -rf "$OLDPWD"
"#;

impl Cluster {
    /// Starts a server.
    /// Returns `None`, with a note on standard error, if its programs are missing. A durable server
    /// survives a power loss, and is slower for it. It has the memory of a small server, and checksums.
    ///
    /// # Panics
    /// It does not start.
    pub fn start(is_durable: bool) -> Option<Self> {
        let Some(binaries) = binaries(&["initdb", "postgres"]) else {
            eprintln!("skipped: there is no PostgreSQL here, and {ADDRESS} names none");
            return None;
        };
        let mut initdb = vec![
            "-D",
            "data",
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C",
            "-N",
        ];
        if is_durable {
            initdb.push("--data-checksums");
        }
        let cluster = Self::make(&binaries, is_durable, "initdb", &initdb);
        Some(cluster.expect("PostgreSQL starts"))
    }

    /// Makes the folder `data` with a program, and starts a server on it.
    fn make(
        binaries: &Path,
        is_durable: bool,
        program: &str,
        arguments: &[&str],
    ) -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let folder = loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("connect-postgres-{}-{number}", std::process::id());
            let folder = env::temp_dir().join(name);
            match fs::create_dir(&folder) {
                Ok(()) => break folder,
                // Left by a former process with this id.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        let user = unprivileged()?;
        if let Some((user, group)) = user {
            chown(&folder, Some(user), Some(group))?;
        }
        let command = |program: &Path| {
            let mut command = Command::new(program);
            command.current_dir(&folder);
            if let Some((user, group)) = user {
                command.uid(user).gid(group);
            }
            command
        };
        let made = command(&binaries.join(program))
            .args(arguments)
            .stdin(Stdio::null())
            .output()?;
        if !made.status.success() {
            let reason = String::from_utf8_lossy(&made.stderr).into_owned();
            return Err(io::Error::other(reason));
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let (fsync, buffers) = if is_durable {
            ("on", "1GB")
        } else {
            ("off", "128MB")
        };
        let keeper = command(Path::new("/bin/sh"))
            // In its own process group, it survives the kill of a test's group, and cleans up.
            .process_group(0)
            .args(["-c", KEEPER])
            .arg(binaries.join("postgres"))
            .args([&port.to_string(), fsync, buffers])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let cluster = Self {
            folder,
            port,
            keeper,
        };
        cluster.wait()?;
        Ok(cluster)
    }

    /// Kills the server, as a crash does, and waits for its end.
    ///
    /// # Errors
    /// It cannot be reached.
    pub fn crash(&self) -> io::Result<()> {
        self.tell("crash\n")?;
        while self.folder.join("pid").exists() {
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Starts the server again after a [crash](Self::crash).
    ///
    /// # Errors
    /// It does not start.
    pub fn start_again(&self) -> io::Result<()> {
        self.tell("start\n")?;
        self.wait()
    }

    fn tell(&self, words: &str) -> io::Result<()> {
        let mut keeper = self.keeper.stdin.as_ref().ok_or(ErrorKind::BrokenPipe)?;
        keeper.write_all(words.as_bytes())
    }

    /// Waits until the server answers.
    fn wait(&self) -> io::Result<()> {
        let began = Instant::now();
        while let Err(error) = execute(&self.config(), "SELECT 1") {
            if began.elapsed() > Duration::from_secs(30) {
                let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                return Err(io::Error::other(format!("{error}: {log}")));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// The settings of a connection to the server.
    pub fn config(&self) -> Config {
        let mut config = Config::new();
        config
            .host("127.0.0.1")
            .port(self.port)
            .user("postgres")
            .dbname("postgres");
        config
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// The user for running the server; `None` is the present one.
/// PostgreSQL refuses to run as root.
fn unprivileged() -> io::Result<Option<(u32, u32)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let mut users = String::new();
    fs::File::open("/etc/passwd")?.read_to_string(&mut users)?;
    let user = |name: &str| {
        let mut fields = users.lines().map(|line| line.split(':'));
        let mut user = fields.find_map(|mut user| (user.next() == Some(name)).then_some(user))?;
        Some((user.nth(1)?.parse().ok()?, user.next()?.parse().ok()?))
    };
    let found = user("postgres").or_else(|| user("nobody"));
    found
        .map(Some)
        .ok_or_else(|| io::Error::other("there is no user to run PostgreSQL as"))
}
