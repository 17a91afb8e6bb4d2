//! The program itself: its exit codes, and what goes where.

use std::{path::Path, process::Output};

use tokio::process::Command;

use crate::service::{Service, shipped};

async fn sync_catalog(service: &Service, menu: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sync_catalog"));
    command
        .env("CONNECT_URL", &service.url)
        .env("CONNECT_TOKEN", &service.token);
    command.env_remove("CONNECT_LOCATION");
    command.arg(menu).output().await.unwrap()
}

#[tokio::test]
async fn result_on_stdout_progress_on_stderr() {
    let service = Service::start().await;
    let run = sync_catalog(&service, &shipped()).await;
    assert_eq!(run.status.code(), Some(0));
    let output = String::from_utf8(run.stdout).unwrap();
    assert_eq!(
        output,
        "created        49\nupdated         0\nunchanged       0\nfailed          0\n"
    );
    let progress = String::from_utf8(run.stderr).unwrap();
    assert!(progress.contains("49 of 49 rows"), "{progress}");
    assert!(!progress.contains(&service.token));
}

#[tokio::test]
async fn exit_codes() {
    let service = Service::start().await;
    let header = "externalId,name,category,priceCents,vatRate,barcode\n";
    let refused = service.file(format!("{header}A#,Soup,Lunch,500,9,\n"));
    assert_eq!(
        sync_catalog(&service, &refused).await.status.code(),
        Some(1)
    );
    let bad = service.file(format!("{header}A,Soup,Lunch,free,9,\n"));
    assert_eq!(sync_catalog(&service, &bad).await.status.code(), Some(2));
    let run = sync_catalog(&service, Path::new("no/such/menu.csv")).await;
    assert_eq!(run.status.code(), Some(2));
    let message = String::from_utf8(run.stderr).unwrap();
    assert!(
        message.starts_with("sync_catalog: no/such/menu.csv: "),
        "{message}"
    );
}
