//! Queues on a failing disk.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use tempfile::TempDir;

use super::*;
use crate::{
    device::{
        DeviceClient, Stopped,
        faulty::{Faults, Faulty},
    },
    transport::{Transport, TransportError},
    wire::ZReportInput,
};

/// A service accepting every row.
struct Taker;

impl Transport for Taker {
    fn send(
        &self,
        _: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        let body = format!(r#"{{"data":{{"id":"{}"}}}}"#, Uuid::from_u128(7));
        async { Ok(http::Response::new(body.into())) }.boxed()
    }
}

fn client() -> DeviceClient {
    DeviceClient::builder("http://127.0.0.1:1", "dk_0")
        .settings(|settings| settings.transport(Taker))
        .build()
        .unwrap()
}

/// A queue of three rows, on a disk with failures on demand.
fn queue(folder: &TempDir) -> (DeviceQueue, [Uuid; 3], Arc<Faults>) {
    let path = folder.path().join("queue.jsonl");
    let (disk, faults) = Faulty::open(&path);
    let queue = DeviceQueue {
        rows: Mutex::new(Rows {
            waiting: DiskList::new(path, disk),
            refused: DiskList::open(folder.path().join("refused.jsonl")).unwrap(),
        }),
        sending: tokio::sync::Mutex::default(),
        _lock: disk::lock(folder.path()).unwrap(),
    };
    let keys = [(); 3].map(|()| queue.push(ZReportInput::default()).unwrap());
    (queue, keys, faults)
}

#[tokio::test]
async fn a_full_disk_keeps_no_row_from_being_delivered() {
    let folder = TempDir::new().unwrap();
    let (queue, keys, faults) = queue(&folder);
    faults.full.store(true, Relaxed);
    queue.push(ZReportInput::default()).unwrap_err();
    let delivery = queue.send(&client()).await;
    assert!(delivery.stopped.is_none(), "{:?}", delivery.stopped);
    let delivered: Vec<_> = delivery.delivered.iter().map(|row| row.key).collect();
    assert_eq!(delivered, keys);
    drop(queue);
    assert_eq!(DeviceQueue::open(folder.path()).unwrap().waiting(), 0);
}

#[tokio::test]
async fn what_was_delivered_is_told_though_the_disk_fails_and_those_behind_go_on() {
    let folder = TempDir::new().unwrap();
    let (queue, keys, faults) = queue(&folder);
    // The disk fails while the first row is under way.
    faults.left.store(1, Relaxed);
    let delivery = queue.send(&client()).await;
    assert_eq!(delivery.delivered.len(), 1);
    assert_eq!(delivery.delivered[0].key, keys[0]);
    assert!(matches!(
        delivery.stopped,
        Some(Stopped::Queue(QueueError::Disk { .. }))
    ));
    assert_eq!(queue.waiting(), 2);
    // Nothing is sent that the disk does not know to be sent.
    let delivery = queue.send(&client()).await;
    assert!(delivery.delivered.is_empty() && delivery.stopped.is_some());
    faults.left.store(usize::MAX, Relaxed);
    let delivery = queue.send(&client()).await;
    let delivered: Vec<_> = delivery.delivered.iter().map(|row| row.key).collect();
    assert_eq!(delivered, keys[1..]);
    assert!(delivery.stopped.is_none());
}
