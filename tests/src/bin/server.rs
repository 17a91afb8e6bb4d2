//! The server as a program of this package: cargo builds it before the tests that kill it, which
//! it does only for programs of the same package.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use connect_server::{cli::Arguments, log, run};

/// That of the real one: tests hold the memory against bounds.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::read();
    // The others read their errors from the same pipe.
    let logs = std::env::var_os("CONNECT_TESTS_LOG").is_some();
    let logging = logs.then(|| log::start(&arguments.log));
    let ended = run::run(arguments).await;
    drop(logging);
    ended.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "{error}");
        ExitCode::FAILURE
    })
}
