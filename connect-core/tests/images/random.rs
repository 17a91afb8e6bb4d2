//! Random changes of links, deletions, rounds and pauses, held against a naive model: a fault that may pass is
//! tried three times, after ten seconds and after a minute.

use connect_core::wire::{ImageErrorCode, ImageStatus};
use proptest::{collection::vec, prelude::*};

use super::{
    Scene,
    port::{copy, link},
};

#[derive(Clone, Debug)]
enum Step {
    Give(usize, &'static str),
    Take(usize),
    Delete(usize),
    Tick,
    Wait(i64),
}

/// The image of a product as it should be.
#[derive(Clone, Debug, PartialEq)]
struct Image {
    name: &'static str,
    status: ImageStatus,
    attempts: u32,
    due: i64,
}

fn step() -> impl Strategy<Value = Step> {
    let names = vec!["rye", "bun", "lasting", "passing", "panic"];
    let name = prop::sample::select(names);
    prop_oneof![
        4 => (0..3_usize, name).prop_map(|(at, name)| Step::Give(at, name)),
        1 => (0..3_usize).prop_map(Step::Take),
        1 => (0..3_usize).prop_map(Step::Delete),
        4 => Just(Step::Tick),
        3 => prop::sample::select(vec![1, 9, 59]).prop_map(Step::Wait),
    ]
}

async fn play(steps: Vec<Step>) {
    let scene = Scene::open().await;
    let mut products = Vec::new();
    for _ in 0..3 {
        let id = scene.make("rye").await;
        scene.give(id, None).await;
        products.push(id);
    }
    // `None` for a product that is gone, then `None` for one without an image.
    let mut model: Vec<Option<Option<Image>>> = vec![Some(None); 3];
    let mut now = 0;
    let mut told = 0;
    for step in steps {
        match step {
            Step::Give(at, name) => {
                let Some(image) = &mut model[at] else {
                    continue;
                };
                scene.give(products[at], Some(name)).await;
                if image.as_ref().is_none_or(|image| image.name != name) {
                    *image = Some(Image {
                        name,
                        status: ImageStatus::Pending,
                        attempts: 0,
                        due: now,
                    });
                }
            }
            Step::Take(at) => {
                let Some(image) = &mut model[at] else {
                    continue;
                };
                scene.give(products[at], None).await;
                *image = None;
            }
            Step::Delete(at) => {
                if model[at].take().is_some() {
                    scene.shop.products().delete(products[at]).await.unwrap();
                }
            }
            Step::Wait(seconds) => {
                scene.shop.clock.advance(seconds);
                now += seconds;
            }
            Step::Tick => {
                let work = scene.tick().await;
                let (mut ended, mut postponed) = (0, 0);
                let images = model.iter_mut().flatten().flatten();
                for image in images.filter(|i| i.status == ImageStatus::Pending && i.due <= now) {
                    image.attempts += 1;
                    image.due = now + if image.attempts == 1 { 10 } else { 60 };
                    image.status = match (image.name, image.attempts) {
                        ("lasting", _) | ("passing" | "panic", 3) => ImageStatus::Failed,
                        ("passing" | "panic", _) => {
                            postponed += 1;
                            continue;
                        }
                        _ => ImageStatus::Done,
                    };
                    ended += 1;
                }
                assert_eq!(
                    (work.done + work.failed, work.postponed),
                    (ended, postponed)
                );
                told += ended;
            }
        }
    }
    for (id, expected) in products.iter().zip(&model) {
        let Some(expected) = expected else {
            assert!(scene.shop.products().get(*id).await.is_err());
            continue;
        };
        let (url, status, error) = scene.image(*id).await;
        let job = scene.job(*id).await;
        let Some(image) = expected else {
            assert_eq!((url, status, error, job), (None, None, None, None));
            continue;
        };
        let job = job.unwrap();
        assert_eq!(status, Some(image.status.clone()));
        assert_eq!(
            (&*job.source_url, &job.status, job.attempts),
            (&*link(image.name), &image.status, image.attempts)
        );
        let is_done = image.status == ImageStatus::Done;
        let shown = if is_done {
            copy(image.name)
        } else {
            link(image.name)
        };
        assert_eq!(url, Some(shown));
        let code = match image.name {
            _ if image.attempts == 0 => None,
            "lasting" => Some(ImageErrorCode::Corrupt),
            "passing" => Some(ImageErrorCode::Timeout),
            "panic" => Some(ImageErrorCode::ServerError),
            _ => None,
        };
        assert_eq!(job.error.map(|error| error.code), code);
        // The product tells of it once nothing more is tried.
        assert_eq!(error.is_some(), image.status == ImageStatus::Failed);
    }
    assert_eq!(scene.events().await.concat().len(), told);
    scene.check().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn images_are_as_a_naive_model_has_them(steps in vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(play(steps));
    }
}
