//! Products: searched for, and changed in bulk.

use connect_tests::{
    http::{Request, send},
    process::Process,
};
use http::StatusCode;
use serde_json::{Value, json};

use super::{
    PROGRAM,
    browser::{Browser, text},
    demo,
    lists::{between, next_page},
};

/// Writes a batch of products.
async fn batch(server: &Process, items: &[Value]) -> Vec<Value> {
    let body = json!({ "items": items, "matchBy": "externalId" });
    let request = Request::post(server.at("products/batch"), &body).bearer(&server.token());
    let answer = send(server.address, request).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.summary());
    answer.data()["results"].as_array().unwrap().clone()
}

/// The names of the products on a page.
fn names(page: &str) -> Vec<&str> {
    between(page, "aria-label=\"Choose ", "\"")
}

#[tokio::test]
async fn a_code_is_looked_for_on_every_page() {
    let (server, mut owner) = demo().await;
    let mut items: Vec<_> = (0..120)
        .map(|number| {
            let code = format!("C-{number}");
            json!({ "name": format!("Bag {number:03}"), "externalId": code, "barcode": "8712345" })
        })
        .collect();
    // One has the code as its own and as its barcode, another as its own alone.
    items[70]["externalId"] = json!("8712345");
    items.push(json!({ "name": "Alone", "externalId": "C-ALONE", "barcode": "1" }));
    batch(&server, &items).await;
    let mut path = Some("/dashboard/products?code=8712345".to_owned());
    let (mut found, mut pages) = (Vec::new(), 0);
    while let Some(next) = path {
        let page = owner.read(&next).await;
        found.extend(names(&page).into_iter().map(str::to_owned));
        path = next_page(&page);
        pages += 1;
    }
    assert_eq!(pages, 3);
    assert_eq!(found[0], "Bag 070");
    found.sort();
    let expected: Vec<_> = (0..120).map(|number| format!("Bag {number:03}")).collect();
    assert_eq!(found, expected);
    let one = owner.read("/dashboard/products?code=C-ALONE").await;
    assert_eq!(names(&one), ["Alone"]);
    server.kill().await;
}

#[tokio::test]
async fn every_category_can_be_chosen() {
    let limits = ["--token-limit", "10000", "--account-limit", "10000"];
    let server = Process::start_on(PROGRAM, "memory", &limits).await.unwrap();
    let link = server.welcome["invitationUrl"].as_str().unwrap().to_owned();
    let mut owner = Browser::of_owner(&server, &link).await;
    for number in 0..230 {
        let body = json!({ "name": format!("Shelf {number:03}") });
        let request = Request::post(server.at("categories"), &body).bearer(&server.token());
        assert_eq!(send(server.address, request).await.unwrap().status, 201);
    }
    let page = owner.read("/dashboard/products").await;
    for number in 0..230 {
        let option = format!(">Shelf {number:03}</option>");
        // In the filter, and among the actions.
        assert_eq!(page.matches(&option).count(), 2, "{option}");
    }
    server.kill().await;
}

#[tokio::test]
async fn what_was_not_done_in_bulk_is_said_where_it_was_filled_in() {
    let (server, mut owner) = demo().await;
    let items = [("Rye <b>", "R-1"), ("Oat", "R-2")]
        .map(|(name, code)| json!({ "name": name, "externalId": code, "barcode": "77" }));
    let made = batch(&server, &items).await;
    let ids: Vec<&str> = made
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    let list = "/dashboard/products?code=77";
    let page = owner.read(list).await;
    let action = between(&page, "action=\"/dashboard/products/bulk", "\"")[0].replace("&amp;", "&");
    let action = format!("/dashboard/products/bulk{action}");

    let chosen = |page: &str| page.matches(" checked").count();
    // Nothing is chosen, or what is filled in is wrong: the list is shown again, as it was filled in.
    for (id, price, says) in [
        (None, "12.5", "Choose the products first"),
        (Some(ids[0]), "twelve", "must be an amount such as 3.50"),
        (Some(ids[0]), "99999999", "Price"),
    ] {
        let mut fields = vec![("do", "price"), ("price", price), ("vat", "5.5")];
        fields.extend(id.map(|id| ("id", id)));
        let refused = owner.submit(&action, &fields).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{price}");
        let page = text(&refused);
        assert!(
            page.contains("Nothing was changed") && page.contains(says),
            "{page}"
        );
        assert!(page.contains(&format!("value=\"{price}\"")) && page.contains("value=\"5.5\""));
        assert_eq!(chosen(&page), usize::from(id.is_some()));
        let mut shown = names(&page);
        shown.sort_unstable();
        assert_eq!(shown, ["Oat", "Rye &lt;b&gt;"]);
    }

    // A category that is gone, and a product that is gone.
    let gone = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    let fields = [
        ("do", "category"),
        ("category", gone),
        ("id", ids[0]),
        ("id", ids[1]),
    ];
    let refused = owner.submit(&action, &fields).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let page = text(&refused);
    for name in ["Rye &lt;b&gt;", "Oat"] {
        assert!(page.contains(&format!("<strong>{name}</strong>")), "{page}");
    }
    assert_eq!(chosen(&page), 2);
    let fields = [("do", "delete"), ("id", ids[0]), ("id", gone)];
    let partly = owner.submit(&action, &fields).await;
    assert_eq!(partly.status, StatusCode::CONFLICT);
    let page = text(&partly);
    assert!(page.contains("Changed: 1. Left as they were: 1."), "{page}");
    assert!(page.contains("A product that no longer exists"), "{page}");
    assert_eq!(names(&page), ["Oat"]);

    // What was done leads back to the same list.
    let fields = [("do", "price"), ("price", "12,50"), ("id", ids[1])];
    let done = owner.submit(&action, &fields).await;
    let back = done.header("location").unwrap().to_owned();
    assert!(
        back.contains("code=77") && back.contains("done=products-changed"),
        "{back}"
    );
    assert!(owner.read(&back).await.contains("€12.50"));
    server.kill().await;
}
