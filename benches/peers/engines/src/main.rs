//! The engines redb and fjall, bare: pauses under a mixed load, and what fjall makes of damage.
//!
//! `cargo run --release --manifest-path benches/peers/engines/Cargo.toml -- load 60 --sync-ms 50`,
//! or `-- torn`, or `-- list`.

mod damage;
mod load;
mod slow_sync;
mod store;

use std::{env, path::Path, process::Command};

const USAGE: &str = "load [SECONDS] [--sync-ms MS] | torn | list";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["load"] => both("60", "0"),
        ["load", seconds] => both(seconds, "0"),
        ["load", seconds, "--sync-ms", extra] => both(seconds, extra),
        ["torn"] => damage::torn(),
        ["list"] => damage::list(),
        // The processes that the others start.
        ["on", engine, seconds, extra] => {
            let seconds = seconds.parse().expect("seconds");
            load::run(engine, seconds, extra.parse().expect("milliseconds"));
        }
        ["look", folder] => damage::look_here(Path::new(folder)),
        _ => println!("{USAGE}"),
    }
}

/// Runs the load on both engines, each in a process of its own.
fn both(seconds: &str, extra: &str) {
    println!("{seconds} s on each engine, each sync {extra} ms longer\n");
    load::head();
    for engine in ["redb", "fjall"] {
        let program = env::current_exe().expect("this program");
        let mut process = Command::new(program);
        let status = process.args(["on", engine, seconds, extra]).status();
        assert!(status.expect("a process").success(), "{engine} failed");
    }
}
