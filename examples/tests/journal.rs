//! `import_journal` against a real service: its writes, and its restarts.

use std::{path::Path, process::Stdio, time::Duration};

use connect_client::{
    device::DeviceClient,
    wire::{
        Field, LineInput, PaymentInput, PaymentMethod, Quantity, Transaction, TransactionInput,
        TransactionType, VatRate, ZReport,
    },
};
use tokio::process::Command;

use crate::{
    service::{Service, shipped},
    sync::Run,
};

fn command(service: &Service, journal: &Path, menu: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_import_journal"));
    command
        .env("CONNECT_URL", &service.url)
        .env("CONNECT_ADMIN_URL", &service.admin_url)
        .env("CONNECT_TOKEN", &service.token)
        .env("CONNECT_DEVICE_KEY", &service.device_keys[0])
        .env_remove("CONNECT_LOCATION")
        .args([journal, menu]);
    command
}

async fn finish(mut command: Command) -> Run {
    let run = command.output().await.unwrap();
    let [output, progress] = [run.stdout, run.stderr].map(|text| String::from_utf8(text).unwrap());
    Run {
        code: run.status.code(),
        output,
        progress,
    }
}

async fn import_shipped(service: &Service) -> Run {
    let (journal, menu) = (shipped("journal.csv"), shipped("menu.csv"));
    finish(command(service, &journal, &menu)).await
}

/// Imports these lines of a shop selling bread and cards.
async fn import(service: &Service, lines: &str) -> Run {
    let menu = "externalId,name,priceCents,vatRate\nB,Bread,345,9\nC,Card,295,21\n";
    let menu = service.file("menu.csv", menu);
    let journal = service.file("journal.csv", format!("date,time,receipt,item\n{lines}"));
    finish(command(service, &journal, &menu)).await
}

async fn journal(service: &Service) -> Vec<Transaction> {
    let location = service.client().location(service.locations[0]);
    location.transactions().after(0).all().await.unwrap()
}

async fn z_reports(service: &Service) -> Vec<ZReport> {
    let location = service.client().location(service.locations[0]);
    let reports = location.z_reports().stream(&Default::default());
    reports.all().await.unwrap()
}

fn till(service: &Service) -> DeviceClient {
    let builder = DeviceClient::builder(&service.admin_url, &service.device_keys[0]);
    builder.build().unwrap()
}

/// The sale of a loaf, with this note and at this time.
fn loaf(note: &str, created_at: &str) -> TransactionInput {
    TransactionInput {
        kind: Field::Value(TransactionType::Sale),
        total_cents: Field::Value(345),
        lines: Field::Value(vec![LineInput {
            name: Field::Value("Bread".to_owned()),
            quantity: Field::Value(Quantity::from_thousandths(1000).unwrap()),
            unit_price_cents: Field::Value(345),
            total_cents: Field::Value(345),
            vat_rate: Field::Value(VatRate::percent(9)),
            ..LineInput::default()
        }]),
        payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Card, 345)]),
        note: Field::Value(note.to_owned()),
        created_at: Field::Value(created_at.parse().unwrap()),
        ..TransactionInput::default()
    }
}

#[tokio::test]
async fn the_first_run_writes_and_the_second_finds_it_all() {
    let service = Service::start().await;
    let first = import_shipped(&service).await;
    assert_eq!(first.code, Some(0), "{first:?}");
    let sums = "days: 7\n\
                receipts: 32\n\
                0 % VAT: EUR 25.00 net, EUR 0.00 VAT, EUR 25.00\n\
                9 % VAT: EUR 191.05 net, EUR 17.20 VAT, EUR 208.25\n\
                21 % VAT: EUR 1607.23 net, EUR 337.52 VAT, EUR 1944.75\n\
                turnover: EUR 2178.00\n\
                summaries that differ: 0\n";
    let head = "NONE and Adjustment: 4 lines dropped, 2 receipts skipped\n";
    let counts = "products: 49 created, 0 updated\nwritten: 32 sales, 7 Z reports\n";
    assert_eq!(first.output, format!("{head}{counts}{sums}"));

    let second = import_shipped(&service).await;
    assert_eq!(second.code, Some(0), "{second:?}");
    let counts = "products: 0 created, 0 updated\nwritten: 0 sales, 0 Z reports\n";
    assert_eq!(second.output, format!("{head}{counts}{sums}"));

    let rows = journal(&service).await;
    assert_eq!(rows.len(), 32);
    let row = |receipt: u64| {
        let end = format!("/{receipt}");
        let mut rows = rows.iter();
        rows.find(|row| row.note.as_ref().unwrap().ends_with(&end))
    };
    // A receipt that was voided, and a number that was never given.
    assert_eq!((row(4104), row(4117)), (None, None));
    let tubes = row(4103).unwrap();
    let names: Vec<_> = tubes.lines.iter().map(|line| &*line.name).collect();
    assert_eq!(names, ["Patch kit", "Tube 28\", Dutch valve"]);
    assert_eq!(tubes.lines[1].quantity.thousandths(), 2000);
    assert_eq!(tubes.total_cents, 1585);
    assert_eq!(tubes.created_at.to_string(), "2026-10-20T09:47:19.000000Z");
    let tube = service.find("TU 028").await.unwrap();
    assert_eq!(tubes.lines[1].product_id, Some(tube.id));
    // At three the clock was set back to two. This is the first of the two times.
    let night = row(4128).unwrap();
    assert_eq!(night.created_at.to_string(), "2026-10-25T00:14:09.000000Z");
    // The night belongs to the evening before.
    let counts: Vec<_> = z_reports(&service).await;
    let counts: Vec<_> = counts.iter().map(|z| z.totals.sales.count).collect();
    assert_eq!(counts, [4, 4, 5, 5, 7, 3, 4]);
}

#[tokio::test]
async fn a_time_that_the_clock_skipped_is_an_hour_later() {
    let service = Service::start().await;
    let lines = "2026-03-29,01:59:59,1,Bread\n2026-03-29,02:30:00,2,Bread\n\
                 2026-03-29,04:59:59,3,Card\n2026-03-29,05:00:00,4,Card\n";
    let run = import(&service, lines).await;
    assert_eq!(run.code, Some(0), "{run:?}");
    let rows = journal(&service).await;
    let times: Vec<_> = rows.iter().map(|row| row.created_at.to_string()).collect();
    assert_eq!(times[0], "2026-03-29T00:59:59.000000Z");
    assert_eq!(times[1], "2026-03-29T01:30:00.000000Z");
    let methods: Vec<_> = rows
        .iter()
        .map(|row| row.payments[0].method.as_str())
        .collect();
    assert_eq!(methods, ["card", "card", "cash", "card"]);
    let closings = z_reports(&service).await;
    let counts: Vec<_> = closings.iter().map(|z| z.totals.sales.count).collect();
    assert_eq!(counts, [3, 1]);
}

/// Killed by the system in the middle of its work.
#[tokio::test]
async fn a_run_that_was_killed_goes_on() {
    let service = Service::start().await;
    let lines: String = (0..400)
        .map(|n| {
            let (day, minute) = (1 + n / 100, n % 60);
            format!(
                "2026-06-{day:02},{:02}:{minute:02}:00,{n},Bread\n",
                9 + n % 100 / 60
            )
        })
        .collect();
    let menu = service.file(
        "menu.csv",
        "externalId,name,priceCents,vatRate\nB,Bread,345,9\n",
    );
    let file = service.file("journal.csv", format!("date,time,receipt,item\n{lines}"));
    for least in [30, 130] {
        let mut run = command(&service, &file, &menu);
        run.stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = run.spawn().unwrap();
        while journal(&service).await.len() < least {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        run.kill().await.unwrap();
        assert!(journal(&service).await.len() < 400, "killed too late");
    }
    let before = journal(&service).await.len();
    let last = finish(command(&service, &file, &menu)).await;
    assert_eq!(last.code, Some(0), "{last:?}");
    let written = format!("written: {} sales, ", 400 - before);
    assert!(last.output.contains(&written), "{last:?}");
    assert!(last.output.contains("turnover: EUR 1380.00\n"), "{last:?}");

    let rows = journal(&service).await;
    let numbers = rows
        .iter()
        .map(|row| row.note.as_ref().unwrap().rsplit_once('/').unwrap().1);
    let expected: Vec<_> = (0..400).map(|n| n.to_string()).collect();
    assert_eq!(numbers.collect::<Vec<_>>(), expected);
    let closings = z_reports(&service).await;
    let last: Vec<_> = closings.iter().map(|z| z.last_receipt_number).collect();
    assert_eq!(last, [100, 200, 300, 400].map(Some));
}

#[tokio::test]
async fn a_day_whose_sales_are_all_there_is_closed_once() {
    let service = Service::start().await;
    let sale = loaf("import/2026-06-01/1", "2026-06-01T07:00:00Z");
    till(&service).write_transaction(&sale).await.unwrap();
    let one = "2026-06-01,09:00:00,1,Bread\n";
    let run = import(&service, one).await;
    assert!(
        run.output.contains("written: 0 sales, 1 Z reports\n"),
        "{run:?}"
    );
    // The journal has grown: the rest of the day has a closing of its own.
    let two = format!("{one}2026-06-01,10:00:00,2,Card\n");
    for written in ["1 sales, 1", "0 sales, 0"] {
        let run = import(&service, &two).await;
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(
            run.output.contains(&format!("written: {written} Z")),
            "{run:?}"
        );
    }
}

#[tokio::test]
async fn a_summary_that_differs_is_told() {
    let service = Service::start().await;
    let other = loaf("not of the journal", "2026-06-01T07:00:00Z");
    till(&service).write_transaction(&other).await.unwrap();
    let lines = "2026-06-01,09:00:00,1,Bread\n2026-06-02,09:00:00,2,Bread\n";
    let run = import(&service, lines).await;
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.output.contains("\n2026-06-01: "), "{run:?}");
    assert!(
        run.output.ends_with("summaries that differ: 1\n"),
        "{run:?}"
    );
}

#[tokio::test]
async fn a_journal_that_does_not_fit_is_refused_before_anything_is_sent() {
    let service = Service::start().await;
    for (line, problem) in [
        (
            "2026-06-01,09:00:00,2,Cake\n",
            "receipt 2 of 2026-06-01 09:00:00: \"Cake\" is not in the price list",
        ),
        (
            "2026-06-31,09:00:00,2,Bread\n",
            "receipt 2 of 2026-06-31 09:00:00: ",
        ),
        ("2026-06-01,09:00:00,two,Bread\n", "journal.csv: "),
        (
            "2026-06-01,09:00:00,2,Card\n2026-06-01,09:00:00,1,Card\n",
            "receipt 1 of 2026-06-01 09:00:00: it is there twice",
        ),
    ] {
        let run = import(&service, &format!("2026-06-01,08:00:00,1,Bread\n{line}")).await;
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.progress.contains(problem), "{run:?}");
    }
    assert!(service.find("B").await.is_none());
}

/// With another register's key, the run stops at once.
/// It closes nothing of the first register.
#[tokio::test]
async fn another_register_does_not_go_on_with_the_work() {
    let service = Service::start().await;
    let day = |day: u32| {
        let lines = (1..=3).map(|n| format!("2026-06-{day:02},09:0{n}:00,{n},Bread\n"));
        lines.collect::<String>()
    };
    let first = import(&service, &day(1)).await;
    assert_eq!(first.code, Some(0), "{first:?}");

    let menu = "externalId,name,priceCents,vatRate\nB,Bread,345,9\n";
    let menu = service.file("menu.csv", menu);
    let lines = format!("date,time,receipt,item\n{}{}", day(1), day(2));
    let file = service.file("journal.csv", lines);
    let key = service.register("Till 2").await;
    let mut run = command(&service, &file, &menu);
    run.env("CONNECT_DEVICE_KEY", key);
    let run = finish(run).await;
    assert_eq!(run.code, Some(2), "{run:?}");
    let problem = "the key is that of register \"Till 2\"";
    assert!(run.progress.contains(problem), "{run:?}");
    assert_eq!(journal(&service).await.len(), 4);
    assert_eq!(z_reports(&service).await.len(), 1);

    // The first register goes on, and leaves the other's row to the other.
    let last = finish(command(&service, &file, &menu)).await;
    assert_eq!(last.code, Some(0), "{last:?}");
    assert!(
        last.output.contains("written: 2 sales, 1 Z reports\n"),
        "{last:?}"
    );
    let rows = journal(&service).await;
    assert_eq!(rows.len(), 6);
    assert_eq!(
        rows.iter()
            .filter(|row| row.register.name == "Till 2")
            .count(),
        1
    );
    let closings = z_reports(&service).await;
    assert!(closings.iter().all(|z| z.register.name != "Till 2"));
    let counts: Vec<_> = closings.iter().map(|z| z.totals.sales.count).collect();
    assert_eq!(counts, [3, 2]);
    let again = finish(command(&service, &file, &menu)).await;
    assert!(
        again.output.contains("written: 0 sales, 0 Z reports\n"),
        "{again:?}"
    );
}

#[tokio::test]
async fn a_register_of_another_location_is_found_out() {
    let service = Service::start().await;
    let line = "2026-06-01,09:00:00,1,Bread\n2026-06-01,09:00:00,2,Bread\n";
    let menu = service.file(
        "menu.csv",
        "externalId,name,priceCents,vatRate\nB,Bread,345,9\n",
    );
    let file = service.file("journal.csv", format!("date,time,receipt,item\n{line}"));
    let mut run = command(&service, &file, &menu);
    run.env("CONNECT_DEVICE_KEY", &service.device_keys[1]);
    let run = finish(run).await;
    assert_eq!(run.code, Some(2), "{run:?}");
    let problem = "is the register at this location? ";
    assert!(run.progress.contains(problem), "{run:?}");
    assert!(journal(&service).await.is_empty());
}
