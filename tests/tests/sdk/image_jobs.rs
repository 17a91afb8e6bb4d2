//! The list of image jobs, through the SDK and against the document.

use std::sync::Arc;

use connect_client::wire::{
    Field, Id, ImageErrorCode, ImageJob, ImageStatus, Product, ProductInput,
    query::{ImageJobQuery, Paging},
};
use connect_core::wire::Scope;
use connect_server::{
    images::{Copies, DEFAULT_DEADLINE, ImageService},
    networks::Networks,
};
use connect_tests::{http::Request, shop::Shop};

use super::open;

fn pictured(name: &str, link: &str) -> ProductInput {
    ProductInput {
        image_url: Field::Value(format!("https://img.example/{link}.png")),
        ..ProductInput::named(name)
    }
}

fn of_status(status: ImageStatus) -> ImageJobQuery {
    ImageJobQuery {
        status: Some(status),
        ..ImageJobQuery::default()
    }
}

fn products(jobs: &[ImageJob]) -> Vec<Id<Product>> {
    jobs.iter().map(|job| job.product_id).collect()
}

#[tokio::test]
async fn jobs_are_listed_as_they_were_queued_and_go_with_their_products() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (list, all) = (here.image_jobs(), ImageJobQuery::default());
    assert_eq!(list.stream(&all).all().await.unwrap(), []);

    let mut made: Vec<Product> = Vec::new();
    for name in ["Rye", "Bun", "Pie", "Tart"] {
        shop.clock.advance(1);
        made.push(here.products().create(&pictured(name, name)).await.unwrap());
    }
    here.products()
        .create(&ProductInput::named("Plain"))
        .await
        .unwrap();
    let ids = |of: &[usize]| of.iter().map(|at| made[*at].id).collect::<Vec<_>>();
    let jobs = list.stream(&all).all().await.unwrap();
    assert_eq!(products(&jobs), ids(&[0, 1, 2, 3]));
    let first = &jobs[0];
    assert_eq!(first.source_url, "https://img.example/Rye.png");
    assert_eq!((&first.status, first.attempts), (&ImageStatus::Pending, 0));
    assert_eq!(first.created_at, made[0].updated_at);
    assert_eq!(
        (first.error.clone(), first.updated_at),
        (None, first.created_at)
    );

    // Page by page it is the same, also while the list grows behind the page.
    let by_two = ImageJobQuery {
        paging: Paging {
            limit: Some(2),
            cursor: None,
        },
        ..all.clone()
    };
    let mut pages = list.pages(&by_two);
    let page = pages.next().await.unwrap().unwrap();
    assert_eq!(products(&page.data), ids(&[0, 1]));
    shop.clock.advance(1);
    // A newer link replaces the job, which is queued anew.
    here.products()
        .update(made[0].id, &pictured("Rye", "newer"))
        .await
        .unwrap();
    let page = pages.next().await.unwrap().unwrap();
    assert_eq!(products(&page.data), ids(&[2, 3]));
    let page = pages.next().await.unwrap().unwrap();
    assert_eq!(products(&page.data), ids(&[0]));
    assert!(pages.next().await.is_none());

    let no_image = ProductInput {
        image_url: Field::Null,
        ..ProductInput::default()
    };
    here.products().update(made[1].id, &no_image).await.unwrap();
    here.products().delete(made[2].id).await.unwrap();
    let jobs = list.stream(&all).all().await.unwrap();
    assert_eq!(products(&jobs), ids(&[3, 0]));

    assert_eq!(
        list.stream(&of_status(ImageStatus::Pending))
            .all()
            .await
            .unwrap(),
        jobs
    );
    assert_eq!(
        list.stream(&of_status(ImageStatus::Failed))
            .all()
            .await
            .unwrap(),
        []
    );
    // The other location has a list of its own.
    let there = client.location(shop.there).image_jobs();
    assert_eq!(there.stream(&all).all().await.unwrap(), []);
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

/// From the write to the record that is shown, with the server's own adapter. The link is refused
/// before anything is connected to.
#[tokio::test]
async fn a_worker_says_why_an_image_was_not_taken_over() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let input = ProductInput {
        image_url: Field::Value("https://127.0.0.1/rye.png".to_owned()),
        ..ProductInput::named("Rye")
    };
    let made = here.products().create(&input).await.unwrap();
    let images = ImageService::new(
        Copies::in_memory(),
        "https://shop.example".parse().unwrap(),
        Networks::default(),
        DEFAULT_DEADLINE,
    );
    let worker = shop.connect.image_worker(Arc::new(images.unwrap()));
    assert_eq!(worker.tick().await.unwrap().failed, 1);

    let product = here.products().get(made.id).await.unwrap();
    assert_eq!(product.image_status, Some(ImageStatus::Failed));
    assert_eq!(product.image_url, made.image_url);
    let failed = here.image_jobs().stream(&of_status(ImageStatus::Failed));
    let [job] = &failed.all().await.unwrap()[..] else {
        unreachable!("one job has failed");
    };
    let error = job.error.clone().unwrap();
    assert_eq!(error.code, ImageErrorCode::ForbiddenAddress);
    assert_eq!(product.image_error, Some(error.message));
    assert_eq!(job.attempts, 1);
}

#[tokio::test]
async fn a_list_of_jobs_needs_the_scope_of_the_catalog() {
    let shop = Shop::open().await;
    let get = || Request::get(shop.at("image-jobs"));
    let reader = shop.token_for(shop.here, &[Scope::CatalogRead]).await;
    shop.send_as(&reader, get()).await.expect(200);
    for scopes in [
        vec![Scope::CatalogWrite],
        vec![Scope::PosRead, Scope::StockRead],
    ] {
        let token = shop.token_for(shop.here, &scopes).await;
        shop.send_as(&token, get())
            .await
            .fails(403, "forbidden_scope");
    }
    shop.send(Request::post(shop.at("image-jobs"), &serde_json::json!({})))
        .await
        .fails(405, "method_not_allowed");
}
