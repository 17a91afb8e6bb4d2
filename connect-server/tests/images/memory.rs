//! The memory of a process whose workers meet bad hosts and bombs of each type at once.

use std::{sync::Arc, time::Duration};

use connect_core::{
    Access, Connect,
    environment::ManualClock,
    storage::memory::MemoryStorage,
    wire::{
        Field, ImageErrorCode, ImageJob, ImageStatus, ProductInput, Timestamp,
        query::{ImageJobQuery, Paging},
    },
};
use connect_server::{images::scaled_copy, networks::Networks, outbound::AddressGuard};
use futures_util::future::join_all;

use super::{
    bombs,
    pictures::{self, claiming},
    service,
};
use crate::{
    host::{Host, Script},
    location, measured,
};

/// The most that the process may have resident at any time, in kB.
const MOST: u64 = 300_000;

/// The least that it takes when the bombs are decoded at all, in kB.
const LEAST: u64 = 120_000;

/// The time that a download may take.
const DEADLINE: Duration = Duration::from_secs(2);

#[test]
fn bad_hosts_and_bombs_fit_into_300_mb() {
    if let Some(peak) = measured::run("images::memory::child") {
        assert!((LEAST..MOST).contains(&peak), "{peak} kB");
    }
}

#[test]
fn child() {
    measured::child(async {
        take_over_everything().await;
        measured::peak()
    });
}

/// The paths of the host, in the order of the jobs, and those whose images are taken over in the end.
const PATHS: &str = "/png/1 /png/2 /png/3 /png/4 /jpeg /webp /gif /fine /too-many-pixels/jpeg \
    /too-many-pixels/gif /too-many-pixels/webp /too-many-pixels/png /large/1 /large/2 /large/3 /large/4 \
    /large/5 /large/6 /endless /drip /hang /loop /cut /page.jpg";
const DONE: [&str; 4] = ["/jpeg", "/webp", "/gif", "/fine"];

/// Lets three workers take over an image of each path, until every job has ended.
async fn take_over_everything() {
    let host = host().await;
    let clock = ManualClock::at(Timestamp::EPOCH.plus_seconds(1_800_000_000));
    let guard = AddressGuard::allowing(Networks::loopback());
    let connect = Connect::builder(Arc::new(MemoryStorage::new()))
        .clock(clock.clone())
        .image_links(Arc::new(guard))
        .build();
    let at = location::make(&connect).await;
    for path in PATHS.split(' ') {
        let input = ProductInput {
            image_url: Field::Value(host.link(path)),
            ..ProductInput::named(path)
        };
        let products = connect.location(&at).products();
        products.create(input).await.unwrap();
    }
    let service = Arc::new(service(Networks::loopback(), DEADLINE));
    // As many rounds as a job has tries.
    for _ in 0..3 {
        let workers = [(); 3].map(|()| connect.image_worker(service.clone()));
        let ticks = workers.iter().map(|worker| worker.tick());
        join_all(ticks).await;
        clock.advance(60);
    }
    let jobs = jobs(&connect, &at).await;
    assert_eq!(jobs.len(), PATHS.split(' ').count());
    for path in PATHS.split(' ') {
        let job = jobs.iter().find(|job| job.source_url == host.link(path));
        let job = job.unwrap();
        let expected = match DONE.contains(&path) {
            true => ImageStatus::Done,
            false => ImageStatus::Failed,
        };
        assert_eq!(job.status, expected, "{path}: {:?}", job.error);
    }
}

/// A host with bombs, files of the largest size, and bad manners.
async fn host() -> Host {
    // The larger ones are not scaled, which is slow without optimisation.
    let jpeg = bombs::jpeg(4_000, 3_000);
    let png = bombs::png(4_000, 3_000, 2_999);
    let webp = bombs::webp(3_000, 3_000);
    let gif = bombs::gif(4_000, 2_000);
    let large_gif = bombs::gif(10_000, 2_000);
    let many_pixels = claiming(&pictures::jpeg(16, 16), 65_500, 65_500, 0xc0);
    let large = [&pictures::jpeg(16, 16)[..20], &vec![7; 4_900_000]].concat();
    Host::start(move |path| match path {
        "/jpeg" => Script::ok(&jpeg),
        "/webp" => Script::ok(&webp),
        "/gif" => Script::ok(&gif),
        "/fine" => Script::ok(&pictures::png(5, 5)),
        "/too-many-pixels/jpeg" => Script::ok(&many_pixels),
        "/too-many-pixels/gif" => Script::ok(&large_gif),
        "/too-many-pixels/webp" => Script::ok(&bombs::webp(16_383, 16_383)),
        "/too-many-pixels/png" => Script::ok(&bombs::png(10_000, 10_000, 10)),
        "/endless" => {
            Script::raw("HTTP/1.1 200 OK\r\n\r\n").then_repeat(&[7; 65_536], Duration::ZERO)
        }
        "/drip" => {
            Script::raw("HTTP/1.1 200 OK\r\n\r\n").then_repeat(&[7], Duration::from_millis(50))
        }
        "/hang" => Script::raw("").then_hang(),
        "/loop" => Script::to("/loop"),
        "/cut" => Script::response("200 OK\r\nContent-Length: 1000", &[7; 10]),
        "/page.jpg" => Script::ok(b"<!doctype html><p>Not here."),
        path if path.starts_with("/png/") => Script::ok(&png),
        path if path.starts_with("/large/") => Script::ok(&large),
        path => panic!("{path}"),
    })
    .await
}

async fn jobs(connect: &Connect, at: &Access) -> Vec<ImageJob> {
    let all = ImageJobQuery {
        paging: Paging {
            limit: Some(200),
            cursor: None,
        },
        ..ImageJobQuery::default()
    };
    let jobs = connect.location(at).image_jobs();
    jobs.list(&all).await.unwrap().data
}

/// Whole, the pixels of the PNG alone would take 48 MB.
#[test]
fn a_large_png_is_never_in_memory_as_a_whole() {
    if let Some(peak) = measured::run("images::memory::large_png") {
        assert!(peak < 45_000, "{peak} kB");
    }
}

#[test]
fn large_png() {
    measured::child(async {
        // All but its last rows are there.
        let damaged = scaled_copy(&bombs::png(4_000, 4_000, 4_000));
        assert_eq!(damaged.unwrap_err().code, ImageErrorCode::Corrupt);
        measured::peak()
    });
}
