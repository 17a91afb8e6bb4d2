//! The quickstart against a real service.

use std::fs;

use tokio::process::Command;

use crate::service::Service;

#[tokio::test]
async fn it_runs() {
    let service = Service::start().await;
    for counts in ["1 created, 0 unchanged\n", "0 created, 1 unchanged\n"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quickstart"));
        command
            .env("CONNECT_URL", &service.url)
            .env("CONNECT_TOKEN", &service.token);
        let run = command.output().await.unwrap();
        let output = String::from_utf8(run.stdout).unwrap();
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        assert!(output.starts_with(counts), "{output}");
        assert!(output.contains("Tomato soup"), "{output}");
    }
}

/// The guide shows the program compiled and run above.
#[test]
fn the_guide_shows_it() {
    let read =
        |path: &str| fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let program = read("src/bin/quickstart.rs");
    let (_, shown) = program.split_once("\n\n").unwrap();
    assert!(read("../docs/getting-started.md").contains(&format!("```rust\n{shown}```\n")));
}
