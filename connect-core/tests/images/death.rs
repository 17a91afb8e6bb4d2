//! Workers that die.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll, time::Duration};

use connect_core::{
    ImageWork,
    storage::{conformance::Distant, memory::MemoryStorage},
    wire::{ImageErrorCode, ImageStatus},
};

use super::{Scene, port::copy};

/// Polls `work` until it is ready, or has waited so many times; it is dropped then.
async fn die_after<T>(waits: usize, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut left = waits;
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Whatever it waits for when it dies: another worker ends each job, and each product is told of
/// once.
#[tokio::test]
async fn a_worker_may_die_at_every_step() {
    let mut waits = 0;
    loop {
        let store = Distant::new(Arc::new(MemoryStorage::new()), Duration::ZERO);
        let scene = Scene::on(Arc::new(store)).await;
        let mut products = [scene.make("rye").await, scene.make("bun").await];
        let dead = scene.worker();
        let lived = die_after(waits, dead.tick()).await.is_some();
        drop(dead);
        scene.check().await;
        let first = scene.tick().await;
        scene.shop.clock.advance(120);
        let second = scene.tick().await;
        assert_eq!(first.moot + second.moot, 0, "{waits}");
        for (product, name) in products.iter().zip(["rye", "bun"]) {
            let image = (Some(copy(name)), Some(ImageStatus::Done), None);
            assert_eq!(scene.image(*product).await, image, "{waits}");
            assert!(scene.port.calls(name) <= 2, "{waits}");
        }
        let mut told = scene.events().await.concat();
        told.sort_unstable();
        products.sort_by_key(|id| id.uuid());
        assert_eq!(told, [products[0].uuid(), products[1].uuid()], "{waits}");
        scene.check().await;
        if lived {
            break;
        }
        waits += 1;
    }
    // The looks at the queue, two reads, two commits and the downloads each wait at least once.
    assert!(waits > 6, "only {waits} steps");
}

/// An image of which workers die is not tried forever.
#[tokio::test]
async fn the_third_death_is_the_last() {
    let scene = Scene::open().await;
    let product = scene.make("held").await;
    for attempt in 1..=3 {
        let worker = scene.worker();
        let until_begun = async {
            tokio::select! {
                _ = worker.tick() => unreachable!("it waits"),
                () = scene.port.begun() => {}
            }
        };
        until_begun.await;
        assert_eq!(scene.job(product).await.unwrap().attempts, attempt);
        assert_eq!(scene.tick().await, ImageWork::default());
        scene.shop.clock.advance(120);
    }
    assert_eq!(scene.tick().await.failed, 1);
    let job = scene.job(product).await.unwrap();
    assert_eq!((job.attempts, job.status), (3, ImageStatus::Failed));
    assert_eq!(job.error.unwrap().code, ImageErrorCode::ServerError);
    assert_eq!(scene.port.calls("held"), 3);
    scene.check().await;
}
