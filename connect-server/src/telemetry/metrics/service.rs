//! The current metrics of the store and the listeners.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use connect_core::{
    environment::Skew,
    storage::disk::{Health, ScrubCounts},
};
use prometheus::proto::MetricFamily;

use super::family::Family;
use crate::net::Load;

/// Returns the metrics of the listeners, by name.
pub(super) fn of_listeners(loads: &[(&'static str, Load); 2]) -> [MetricFamily; 3] {
    let by = |family: Family, figure: fn(&Load) -> usize| {
        let [(one, load), (other, other_load)] = loads;
        let samples = [
            (*one, figure(load) as f64),
            (*other, figure(other_load) as f64),
        ];
        family.by("listener", samples)
    };
    [
        by(
            Family::gauge("connect_http_connections", "Open connections."),
            Load::connections,
        ),
        by(
            Family::gauge(
                "connect_http_body_bytes",
                "Bytes of request bodies that are held.",
            ),
            Load::body_bytes,
        ),
        by(
            Family::gauge(
                "connect_http_answer_bytes",
                "Bytes of answers that clients have not taken, and 6 KiB for each request under way.",
            ),
            Load::answer_bytes,
        ),
    ]
}

/// Returns the end of the certificate in use, if any.
/// In seconds since 1970; 0 without a certificate.
pub(super) fn of_certificate(ends: Option<i64>) -> MetricFamily {
    Family::gauge(
        "connect_tls_certificate_end_seconds",
        "The end of the certificate in use or of one of its issuers, in seconds since 1970; 0 \
         without TLS.",
    )
    .of(ends.unwrap_or(0) as f64)
}

/// Returns the condition of the store, and of its clock.
pub(super) fn of_store(health: &Health, skew: Option<Skew>) -> [MetricFamily; 2] {
    let is = |now: bool| if now { 1.0 } else { 0.0 };
    [
        Family::gauge(
            "connect_store_state",
            "1 for the state of the store, 0 for the others.",
        )
        .by(
            "state",
            [
                ("working", is(matches!(health, Health::Working))),
                ("full", is(matches!(health, Health::Full))),
                ("damaged", is(matches!(health, Health::Damaged { .. }))),
                ("failed", is(matches!(health, Health::Failed { .. }))),
                ("outdated", is(matches!(health, Health::Outdated))),
            ],
        ),
        Family::gauge(
            "connect_clock_drift_seconds",
            "By how much the machine's clock is ahead of the time that is used; 0 while it is \
             trusted.",
        )
        .of(skew.map_or(0.0, |skew| skew.seconds() as f64)),
    ]
}

/// Returns the checks of the store's pages.
pub(super) fn of_pages(counts: ScrubCounts) -> [MetricFamily; 2] {
    [
        Family::counter(
            "connect_store_scrubbed_bytes_total",
            "Bytes of pages that were checked for damage while the store was open; 0 for stores other than redb.",
        )
        .of(counts.bytes as f64),
        Family::gauge(
            "connect_store_damaged_ranges",
            "Damaged parts of the store's file: pages, and single rows.",
        )
        .of(counts.damaged_ranges as f64),
    ]
}

/// Returns the disk space of the store. Blocks.
pub(super) fn of_disk(folder: &Path) -> MetricFamily {
    Family::gauge(
        "connect_store_bytes",
        "The room that the store takes on the disk, without the copies of images.",
    )
    .of(room(folder) as f64)
}

/// The disk space of the files in a folder, in bytes.
/// Unreadable and vanished files count as 0.
fn room(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let room_of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(file) if file.is_file() => file.blocks() * 512,
        // A link to a folder is neither.
        Ok(other) if other.is_dir() => room(&entry.path()),
        _ => 0,
    };
    entries.flatten().map(room_of).sum()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_room_of_a_folder_is_that_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(room(folder.path()), 0);
        fs::write(folder.path().join("a"), vec![1; 10_000]).unwrap();
        let one = room(folder.path());
        assert!((10_000..100_000).contains(&one), "{one}");
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("in/b"), vec![1; 10_000]).unwrap();
        symlink(folder.path(), folder.path().join("in/again")).unwrap();
        assert_eq!(room(folder.path()), 2 * one);
        assert_eq!(room(&folder.path().join("missing")), 0);
    }
}
