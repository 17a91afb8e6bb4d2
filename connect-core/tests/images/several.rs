//! Several workers, and writes while a download is under way.

use std::{sync::Arc, time::Duration};

use connect_core::{
    ImageWork,
    storage::{conformance::Distant, memory::MemoryStorage},
    wire::ProductInput,
};
use tokio::time::sleep;

use super::{
    Scene,
    port::{copy, link},
};

#[derive(Clone, Copy, Debug)]
enum Meanwhile {
    OtherLink,
    NoLink,
    Deletion,
    SameLinkAgain,
}

/// A download that is no longer wanted changes nothing, and the newer one is done.
#[tokio::test]
async fn nothing_old_is_written_over_anything_newer() {
    for meanwhile in [
        Meanwhile::OtherLink,
        Meanwhile::NoLink,
        Meanwhile::Deletion,
        Meanwhile::SameLinkAgain,
    ] {
        let scene = Scene::open().await;
        let product = scene.make("held").await;
        let writes = async {
            match meanwhile {
                Meanwhile::OtherLink => scene.give(product, Some("new")).await,
                Meanwhile::NoLink => scene.give(product, None).await,
                Meanwhile::Deletion => scene.shop.products().delete(product).await.unwrap(),
                Meanwhile::SameLinkAgain => {
                    scene.give(product, None).await;
                    scene.give(product, Some("held")).await;
                }
            }
            scene.check().await;
            scene.port.let_go();
        };
        let work = scene.tick_while(writes).await;
        assert_eq!(work.moot, 1, "{meanwhile:?}");
        let (image, done) = match meanwhile {
            Meanwhile::OtherLink => (Some(copy("new")), 1),
            Meanwhile::SameLinkAgain => (Some(copy("held")), 1),
            Meanwhile::NoLink | Meanwhile::Deletion => (None, 0),
        };
        assert_eq!(work.done, done, "{meanwhile:?}");
        assert_eq!(scene.events().await.len(), done, "{meanwhile:?}");
        if matches!(meanwhile, Meanwhile::Deletion) {
            assert!(scene.shop.products().get(product).await.is_err());
            assert!(scene.jobs().await.is_empty());
        } else {
            assert_eq!(scene.image(product).await.0, image, "{meanwhile:?}");
        }
        scene.shop.clock.advance(3600);
        assert_eq!(scene.tick().await, ImageWork::default(), "{meanwhile:?}");
        scene.check().await;
    }
}

/// What a write changes besides, while a download is under way, stays changed.
#[tokio::test]
async fn other_changes_of_the_product_are_kept() {
    let scene = Scene::open().await;
    let product = scene.make("held").await;
    let rename = async {
        let input = ProductInput::named("Renamed");
        scene.shop.products().update(product, input).await.unwrap();
    };
    assert_eq!(scene.tick_while(rename).await.done, 1);
    let product = scene.product(product).await;
    assert_eq!(product.name, "Renamed");
    assert_eq!(product.image_url, Some(copy("held")));
}

/// Two workers of one process and one of another do each job once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_job_is_done_once() {
    let scene = Scene::open().await;
    let other = scene.shop.beside();
    let names: Vec<String> = (0..40).map(|number| format!("image-{number}")).collect();
    let mut products = Vec::new();
    for name in &names {
        products.push(scene.make(name).await.uuid());
    }
    let workers = [
        scene.worker(),
        scene.worker(),
        other.image_worker(scene.port.clone()),
    ];
    let ticks = workers.map(|worker| tokio::spawn(async move { worker.tick().await.unwrap() }));
    let mut all = ImageWork::default();
    for tick in ticks {
        all += tick.await.unwrap();
    }
    // A worker that finds all taken looks no further, so the rest may be left to another round.
    all += scene.tick().await;
    assert_eq!((all.done, all.moot), (40, 0));
    for name in &names {
        assert_eq!(scene.port.calls(name), 1, "{}", link(name));
    }
    let mut told = scene.events().await.concat();
    told.sort_unstable();
    products.sort_unstable();
    assert_eq!(told, products);
    scene.check().await;
}

/// A worker that takes longer than its lease loses the job, and what it comes with is not written.
#[tokio::test]
async fn a_lease_that_is_over_passes_to_another() {
    let scene = Scene::open().await;
    let product = scene.make("held").await;
    let mut next = ImageWork::default();
    let slow = async {
        scene.shop.clock.advance(119);
        assert_eq!(scene.tick().await, ImageWork::default());
        scene.shop.clock.advance(1);
        // Lets the slow one go, too.
        next = scene.tick_while(async { scene.port.let_go() }).await;
    };
    let slow = scene.tick_while(slow).await;
    // The slow one came to its end under a lease that was no longer its own.
    assert_eq!((slow.moot, slow.done, next.done), (1, 0, 1));
    assert_eq!(scene.job(product).await.unwrap().attempts, 2);
    assert_eq!(scene.events().await, [[product.uuid()]]);
    scene.check().await;
}

/// A job waits for its turn, and takes nearly as long as it may.
///
/// It is the fourth of its location, on a store with delays of seconds.
#[tokio::test(start_paused = true)]
async fn no_image_is_downloaded_twice_while_clocks_agree_well_enough() {
    let second = Duration::from_secs(1);
    for ahead in [14, -14] {
        let memory = Arc::new(MemoryStorage::new());
        let scene = Scene::on(Arc::new(Distant::new(memory, second))).await;
        let names = ["held-0", "held-1", "held-2", "held-3"];
        for name in names {
            scene.make(name).await;
        }
        let worker = scene.worker();
        let other = scene.shop.ahead(ahead);
        let other = other.image_worker(scene.port.clone());
        let held = async {
            for (jobs, seconds) in [(3, 29), (1, 74)] {
                for _ in 0..jobs {
                    scene.port.begun().await;
                }
                sleep(seconds * second).await;
                (0..jobs).for_each(|_| scene.port.let_go());
            }
            // For a download of the other one.
            scene.port.let_go();
        };
        let passing = async {
            loop {
                sleep(second).await;
                scene.shop.clock.advance(1);
            }
        };
        let others = async {
            // The first one has all leases.
            sleep(10 * second).await;
            loop {
                sleep(second).await;
                other.tick().await.unwrap();
            }
        };
        tokio::select! {
            _ = async { tokio::join!(worker.tick(), held) } => {}
            () = passing => {}
            () = others => {}
        }
        for name in names {
            assert_eq!(scene.port.calls(name), 1, "{name}, {ahead}");
        }
        scene.check().await;
    }
}
