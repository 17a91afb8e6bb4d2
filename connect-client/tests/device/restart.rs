//! A device that is switched off: what it finds again.

use std::{fs, path::PathBuf};

use connect_client::{
    device::{DeviceQueue, QueueError},
    transport::Fault,
};
use tempfile::TempDir;

use super::{KEY, amounts, cash_in, client, taken};
use crate::support::script::{Reply, Script};

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("queue.jsonl")
}

/// The files of a queue with these rows, as they are on disk.
fn filled(amounts: impl IntoIterator<Item = i64>) -> TempDir {
    let folder = TempDir::new().unwrap();
    let queue = DeviceQueue::open(folder.path()).unwrap();
    for amount in amounts {
        queue.push(cash_in(amount)).unwrap();
    }
    folder
}

/// Opens the queue and delivers all of it. Returns the amounts and the keys.
async fn drain(folder: &TempDir) -> (Vec<i64>, Vec<String>) {
    let queue = DeviceQueue::open(folder.path()).unwrap();
    let script = Script::new((0..queue.waiting()).map(|_| taken()));
    let delivery = queue.send(&client(&script)).await;
    assert!(delivery.stopped.is_none() && delivery.refused.is_empty());
    assert_eq!(queue.waiting(), 0);
    let sent = script.finish();
    let keys = sent.iter().map(|sent| sent.key().unwrap().to_owned());
    (amounts(&sent), keys.collect())
}

#[tokio::test]
async fn rows_keep_their_order_and_their_keys() {
    let folder = TempDir::new().unwrap();
    let mut keys = Vec::new();
    for amount in 1..=4 {
        // A start for each row.
        let queue = DeviceQueue::open(folder.path()).unwrap();
        keys.push(queue.push(cash_in(amount)).unwrap().to_string());
        assert_eq!(queue.waiting(), keys.len());
    }
    assert_eq!(drain(&folder).await, (vec![1, 2, 3, 4], keys));
    assert_eq!(fs::read(file(&folder)).unwrap(), b"");
    assert_eq!(drain(&folder).await, (vec![], vec![]));
}

#[tokio::test]
async fn a_row_that_was_sent_and_not_acknowledged_is_sent_again_with_its_key() {
    let folder = filled([1, 2]);
    let queue = DeviceQueue::open(folder.path()).unwrap();
    let script = Script::new([taken(), Reply::Silence]);
    let client = client(&script);
    // The device stops while the answer is under way.
    tokio::select! {
        _ = queue.send(&client) => panic!("nothing was answered"),
        () = async { while script.sent().len() < 2 { tokio::task::yield_now().await } } => {}
    }
    let sent = script.finish();
    drop(queue);
    let (amounts, keys) = drain(&folder).await;
    assert_eq!(amounts, [2]);
    assert_eq!(keys, [sent[1].key().unwrap()]);
}

/// Makes every row that may have arrived as old as if it had been sent long ago.
fn age(folder: &TempDir) {
    let text = fs::read_to_string(file(folder)).unwrap();
    let age = |line: &str| match line.split_once(' ').unwrap() {
        ("--------", _) => format!("{line}\n"),
        (_, row) => format!("6955b900 {row}\n"),
    };
    let aged: String = text.lines().map(age).collect();
    fs::write(file(folder), aged).unwrap();
}

#[tokio::test]
async fn a_row_that_may_have_arrived_long_ago_is_set_aside() {
    for (fault, is_in_doubt) in [
        (Fault::Timeout, true),
        (Fault::Broken, true),
        // It never left the device, which may be offline for as long as it likes.
        (Fault::Connect, false),
    ] {
        let folder = filled([1, 2]);
        let queue = DeviceQueue::open(folder.path()).unwrap();
        let script = Script::new([Reply::Fault(fault)]);
        let delivery = queue.send(&client(&script)).await;
        assert!(delivery.stopped.is_some());
        drop(queue);
        age(&folder);

        let queue = DeviceQueue::open(folder.path()).unwrap();
        let expected = if is_in_doubt { vec![2] } else { vec![1, 2] };
        let script = Script::new(expected.iter().map(|_| taken()));
        let delivery = queue.send(&client(&script)).await;
        assert_eq!(amounts(&script.finish()), expected, "{fault:?}");
        assert_eq!(delivery.refused.len(), usize::from(is_in_doubt));
        assert_eq!(queue.refused().len(), usize::from(is_in_doubt));
        assert_eq!(queue.waiting(), 0);
    }
}

/// The file as a crash may leave it while a row was written.
#[tokio::test]
async fn a_half_written_row_is_dropped() {
    let folder = filled([1, 2]);
    let whole = fs::read(file(&folder)).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let ends = [first - 1, first, whole.len() - 1, whole.len()];
    for length in (0..whole.len()).step_by(13).chain(ends) {
        fs::write(file(&folder), &whole[..length]).unwrap();
        let queue = DeviceQueue::open(folder.path()).unwrap();
        let whole_rows = usize::from(length >= first) + usize::from(length == whole.len());
        assert_eq!(queue.waiting(), whole_rows, "of {length} bytes");
        // The next row stands behind what was whole.
        queue.push(cash_in(3)).unwrap();
        drop(queue);
        let expected = [1, 2].into_iter().take(whole_rows).chain([3]);
        assert_eq!(drain(&folder).await.0, expected.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn what_a_loss_of_power_leaves_of_the_last_row_is_never_sent() {
    let folder = filled([1, 2]);
    let mut bytes = fs::read(file(&folder)).unwrap();
    // Its block was not written: the file has its length, and zeros.
    let first = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    bytes[first..].fill(0);
    fs::write(file(&folder), bytes).unwrap();
    assert_eq!(drain(&folder).await.0, [1]);
}

#[test]
fn damage_elsewhere_is_told_and_left_alone() {
    let folder = filled([1, 2, 3]);
    let text = fs::read_to_string(file(&folder)).unwrap();
    let damaged = text.replacen("\"totalCents\":2", "\"totalCents\":9", 1);
    fs::write(file(&folder), &damaged).unwrap();
    let error = DeviceQueue::open(folder.path()).unwrap_err();
    assert!(
        matches!(error, QueueError::Damaged { line: 2, .. }),
        "{error}"
    );
    assert_eq!(fs::read_to_string(file(&folder)).unwrap(), damaged);
}

/// A newer version has written it, perhaps. To leave it out would lose a sale.
#[test]
fn a_whole_row_that_cannot_be_read_is_told_and_left_alone() {
    let folder = filled([1, 2]);
    let json = r#"{"kind":"voucher"}"#;
    let checksum = crc32fast::hash(json.as_bytes());
    let mut text = fs::read_to_string(file(&folder)).unwrap();
    text += &format!("-------- {checksum:08x} {json}\n");
    fs::write(file(&folder), &text).unwrap();
    let error = DeviceQueue::open(folder.path()).unwrap_err();
    assert!(
        matches!(error, QueueError::Unreadable { line: 3, .. }),
        "{error}"
    );
    assert_eq!(fs::read_to_string(file(&folder)).unwrap(), text);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_what_was_sold() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = TempDir::new().unwrap();
    let made = folder.path().join("till/queue");
    let queue = DeviceQueue::open(&made).unwrap();
    queue.push(cash_in(1)).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.path().join("till")), 0o700);
    assert_eq!(mode(made.clone()), 0o700);
    let files = fs::read_dir(&made).unwrap().map(|file| file.unwrap());
    let modes: Vec<_> = files.map(|file| mode(file.path())).collect();
    assert_eq!(modes, [0o600; 3]);
}

#[test]
fn a_folder_has_one_queue_at_a_time() {
    let folder = TempDir::new().unwrap();
    let queue = DeviceQueue::open(folder.path()).unwrap();
    let refused = DeviceQueue::open(folder.path()).unwrap_err();
    assert!(matches!(refused, QueueError::InUse(_)), "{refused}");
    assert_eq!(format!("{refused:?}"), refused.to_string());
    assert!(format!("{refused:#?}").starts_with("InUse {"));
    drop(queue);
    DeviceQueue::open(folder.path()).unwrap();
}

#[test]
fn a_folder_that_cannot_be_is_an_error() {
    let folder = TempDir::new().unwrap();
    let taken = folder.path().join("taken");
    fs::write(&taken, "").unwrap();
    let error = DeviceQueue::open(&taken).unwrap_err();
    assert!(matches!(error, QueueError::Disk { .. }), "{error}");
    fs::create_dir(folder.path().join("refused.jsonl")).unwrap();
    let error = DeviceQueue::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("refused.jsonl"), "{error}");
}

/// What was delivered leaves the file at the next start, also when some rows still wait.
#[tokio::test]
async fn the_file_does_not_grow_for_ever() {
    let folder = filled(1..=20);
    let offline = (0..30).map(|_| Reply::Fault(Fault::Connect));
    let online = (0..19).map(|_| taken()).chain([Reply::Silence]);
    let script = Script::new(offline.chain(online));
    let queue = DeviceQueue::open(folder.path()).unwrap();
    let client = client(&script);
    let length = || fs::metadata(file(&folder)).unwrap().len();
    let before = length();
    for _ in 0..30 {
        assert!(queue.send(&client).await.stopped.is_some());
    }
    tokio::select! {
        _ = queue.send(&client) => panic!("nothing was answered"),
        () = async { while script.sent().len() < 50 { tokio::task::yield_now().await } } => {}
    }
    drop(queue);
    assert_eq!(length(), before);
    drop(DeviceQueue::open(folder.path()).unwrap());
    let lines = fs::read_to_string(file(&folder)).unwrap().lines().count();
    assert_eq!(lines, 1);
    assert_eq!(drain(&folder).await.0, [20]);
}

#[test]
fn no_file_holds_the_key_of_the_screen() {
    let folder = filled([1]);
    let queue = DeviceQueue::open(folder.path()).unwrap();
    assert!(!format!("{queue:?}").contains(KEY));
    for entry in fs::read_dir(folder.path()).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains(KEY) && !text.contains("dk_"));
    }
}

/// The device stops after a row was written to the refused ones, and before it is removed from those
/// that wait.
#[tokio::test]
async fn a_row_that_was_set_aside_halfway_does_not_wait_again() {
    let folder = filled([1, 2]);
    let before = fs::read(file(&folder)).unwrap();
    let queue = DeviceQueue::open(folder.path()).unwrap();
    let first = queue.first().unwrap();
    assert!(queue.set_aside(first.key()).await.unwrap());
    drop(queue);
    fs::write(file(&folder), before).unwrap();
    let queue = DeviceQueue::open(folder.path()).unwrap();
    assert_eq!((queue.waiting(), queue.refused().len()), (1, 1));
    drop(queue);
    assert_eq!(drain(&folder).await.0, [2]);
}
