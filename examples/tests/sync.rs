//! The whole of `sync_catalog` against a real service.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use connect_client::wire::query::CategoryQuery;
use connect_examples::sync_catalog::{Arguments, Outcome, Progress, Stopped, run};

use crate::service::{Service, shipped};

/// What a run wrote, and how it ended.
struct Run {
    ended: Result<Outcome, Stopped>,
    output: String,
    progress: String,
}

impl Run {
    /// The counts of created, updated, unchanged and failed rows.
    fn counts(&self) -> [usize; 4] {
        ["created", "updated", "unchanged", "failed"].map(|name| {
            let line = self
                .output
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap();
            line[name.len()..].trim().parse().unwrap()
        })
    }
}

async fn sync(service: &Service, menu: &Path, flags: &[&str]) -> Run {
    let menu = menu.to_str().unwrap();
    let always = [
        "sync_catalog",
        "--url",
        &service.url,
        "--token",
        &service.token,
        menu,
    ];
    let arguments = Arguments::try_parse_from(always.iter().chain(flags)).unwrap();
    let (mut output, mut progress) = (Vec::new(), Vec::new());
    let ended = run(
        &arguments,
        &mut output,
        &mut Progress::on(&mut progress, false),
    )
    .await;
    let [output, progress] = [output, progress].map(|text| String::from_utf8(text).unwrap());
    Run {
        ended,
        output,
        progress,
    }
}

fn menu(service: &Service, rows: &str) -> PathBuf {
    service.file(format!(
        "externalId,name,category,priceCents,vatRate,barcode\n{rows}"
    ))
}

#[tokio::test]
async fn the_first_run_creates_and_the_second_changes_nothing() {
    let service = Service::start().await;
    let first = sync(&service, &shipped(), &[]).await;
    assert!(
        matches!(first.ended, Ok(Outcome::Complete)),
        "{:?}",
        first.ended
    );
    assert_eq!(first.counts(), [49, 0, 0, 0]);
    let second = sync(&service, &shipped(), &[]).await;
    assert!(matches!(second.ended, Ok(Outcome::Complete)));
    assert_eq!(second.counts(), [0, 0, 49, 0]);

    let location = service.locations[0];
    let bike = service.find(location, "BK 100").await.unwrap();
    assert_eq!(bike.name, "City bike \"Dijk\", 7 gears");
    assert_eq!(
        (bike.price_cents, bike.vat_rate.hundredths()),
        (74_900, 2100)
    );
    let categories = service.client().location(location).categories();
    let category = categories.get(bike.category_id.unwrap()).await.unwrap();
    assert_eq!(category.name, "Bicycles");
    assert_eq!(
        service.find(location, "GIFT").await.unwrap().category_id,
        None
    );
    // The file names ten categories, and none was made twice.
    let all = categories
        .stream(&CategoryQuery::default())
        .all()
        .await
        .unwrap();
    let bicycles = all.iter().filter(|category| category.name == "Bicycles");
    assert_eq!(bicycles.count(), 1);
}

#[tokio::test]
async fn what_differs_is_updated() {
    let service = Service::start().await;
    let path = menu(&service, "A,Soup,Lunch,500,9,123\nB,Tea,Drinks,250,9,\n");
    sync(&service, &path, &[]).await;
    let path = menu(&service, "A,Soup,,525,,\nB,Tea,drinks,250,9,\n");
    let run = sync(&service, &path, &[]).await;
    assert_eq!(run.counts(), [0, 1, 1, 0]);
    let soup = service.find(service.locations[0], "A").await.unwrap();
    assert_eq!((soup.price_cents, soup.vat_rate.hundredths()), (525, 900));
    assert_eq!((soup.barcode, soup.category_id), (None, None));
}

#[tokio::test]
async fn a_dry_run_saves_nothing() {
    let service = Service::start().await;
    for _ in 0..2 {
        let run = sync(&service, &shipped(), &["--dry-run"]).await;
        assert_eq!(run.counts(), [49, 0, 0, 0]);
        assert!(run.output.starts_with("dry run: nothing was saved\n"));
    }
    assert!(service.find(service.locations[0], "BK 100").await.is_none());
}

#[tokio::test]
async fn a_location_can_be_chosen() {
    let service = Service::start().await;
    let [first, second] = service.locations[..] else {
        panic!("the demo has two locations")
    };
    let path = menu(&service, "A,Soup,Lunch,500,9,\n");
    sync(&service, &path, &["--location", &second.to_string()]).await;
    assert!(service.find(first, "A").await.is_none());
    assert!(service.find(second, "A").await.is_some());
}

#[tokio::test]
async fn refused_items_are_told_by_line_and_the_others_saved() {
    let service = Service::start().await;
    let path = menu(
        &service,
        "A,Soup,Lunch,500,9,\n\nB#,Tea,Drinks,250,9,\nC,Jam,,-1,9,\n",
    );
    let run = sync(&service, &path, &[]).await;
    assert!(matches!(run.ended, Ok(Outcome::Incomplete)));
    assert_eq!(run.counts(), [1, 0, 0, 2]);
    let refused: Vec<_> = run
        .output
        .lines()
        .filter(|line| line.starts_with(' '))
        .collect();
    assert_eq!(refused.len(), 2);
    assert!(
        refused[0].starts_with("  line 4 (B#): validation_failed: externalId: "),
        "{refused:?}"
    );
    assert!(
        refused[1].starts_with("  line 5 (C): validation_failed: priceCents: "),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_file_with_bad_rows_is_not_sent_unless_asked_for() {
    let service = Service::start().await;
    let path = menu(&service, "A,Soup,Lunch,500,9,\nB,Tea,Drinks,two,9,\n");
    let run = sync(&service, &path, &[]).await;
    assert!(matches!(run.ended, Err(Stopped::BadRows(1))));
    assert!(
        run.progress.contains("line 3, column priceCents: "),
        "{}",
        run.progress
    );
    assert_eq!(run.output, "");
    assert!(service.find(service.locations[0], "A").await.is_none());

    let run = sync(&service, &path, &["--skip-bad"]).await;
    assert!(matches!(run.ended, Ok(Outcome::Incomplete)));
    assert_eq!(run.counts(), [1, 0, 0, 0]);
    assert!(
        run.output
            .contains("skipped         1\n  line 3, column priceCents: "),
        "{}",
        run.output
    );
}

#[tokio::test]
async fn a_long_menu_goes_in_several_requests() {
    let service = Service::start().await;
    let rows: String = (0..1100)
        .map(|n| format!("L-{n},Article {n},Long,{n},9,\n"))
        .collect();
    let path = menu(&service, &rows);
    let run = sync(&service, &path, &[]).await;
    assert_eq!(run.counts(), [1100, 0, 0, 0]);
    let steps: Vec<_> = run.progress.lines().skip(1).collect();
    assert_eq!(steps.len(), 3, "{steps:?}");
    assert!(
        steps[0].starts_with("500 of 1100 rows; of the last 500: 500 created"),
        "{steps:?}"
    );
    assert!(
        steps[2].starts_with("1100 of 1100 rows; of the last 100: 100 created"),
        "{steps:?}"
    );
    assert_eq!(sync(&service, &path, &[]).await.counts(), [0, 0, 1100, 0]);
}

#[tokio::test]
async fn a_location_of_somebody_else_stops_the_run() {
    let service = Service::start().await;
    let unknown = "00000000-0000-7000-8000-000000000000";
    let run = sync(&service, &shipped(), &["--location", unknown]).await;
    let Err(Stopped::HalfWay { line: 2, source }) = &run.ended else {
        panic!("{:?}", run.ended)
    };
    assert_eq!(source.status(), Some(403));
    assert_eq!(run.counts(), [0; 4]);
}
