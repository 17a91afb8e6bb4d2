//! Workers dying or waiting in the middle of their work.

use connect_core::WaitingEvents;

use super::Scene;

/// A worker ends within the waiting events. The next one finishes them.
#[tokio::test]
async fn what_waited_is_gone_through_again_after_a_worker_died() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    scene.switch_off(&webhook).await;
    scene.products(1200).await;
    scene.switch_on(&webhook, WaitingEvents::Drop).await;
    {
        let mut tick = std::pin::pin!(scene.worker.tick());
        loop {
            let (is_reached, release) = scene.shop.storage.hold_next_read();
            tokio::select! {
                _ = &mut tick => panic!("it was done at once"),
                is_reached = is_reached => is_reached.unwrap(),
            }
            if !scene.log(&webhook).await.is_empty() {
                break;
            }
            release.send(()).unwrap();
        }
    }
    let (connect, account) = (scene.connect(), scene.shop.account);
    let waiting = async || connect.waiting_events(account, webhook.id).await.unwrap();
    let left = waiting().await;
    assert!((1..1200).contains(&left), "{left}");
    scene.product("After").await;
    scene.shop.clock.advance(61);
    assert_eq!(scene.arrive().await, ["After"]);
    assert_eq!(waiting().await, 0);
    scene.shop.check().await;
}
