//! The server as a program of this package.
//! Some tests kill it, and cargo builds only programs of the same package before the tests.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use connect_server::{cli::Arguments, log, run};

/// The allocator of the real server, as tests bound its memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::read();
    // Other tests read errors from the same pipe.
    let logs = std::env::var_os("CONNECT_TESTS_LOG").is_some();
    let logging = logs.then(|| log::start(&arguments.log));
    let ended = run::run(arguments).await;
    drop(logging);
    ended.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "{error}");
        ExitCode::FAILURE
    })
}
