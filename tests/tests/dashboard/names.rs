//! Locations and screens get other names.

use connect_tests::data::DataFolder;
use http::StatusCode;

use super::{
    PROGRAM,
    browser::{Browser, text},
    demo,
    filled::{account, invite, serve},
    lists::between,
};

/// There were two headings with nothing below.
#[tokio::test]
async fn where_nothing_has_a_name_it_is_said_what_to_do() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let account = account(&data, "Rye", "noor@rye.example").await;
    let mut owner = Browser::of_owner(&server, &invite(&data, &account).await).await;
    let page = owner.read("/dashboard/screens/names").await;
    for says in [
        "has no locations yet. Ask the operator",
        "has no screens yet",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    server.kill().await;
}

#[tokio::test]
async fn locations_and_screens_are_renamed() {
    let (server, mut owner) = demo().await;
    let path = "/dashboard/screens/names";
    for kind in ["location", "screen"] {
        let page = owner.read(path).await;
        let fields =
            format!("name=\"kind\" value=\"{kind}\"><input type=\"hidden\" name=\"id\" value=\"");
        let id = between(&page, &fields, "\"")[0].to_owned();
        let named = |name| [("kind", kind), ("id", &*id), ("name", name)];
        let long = "x".repeat(101);
        for bad in ["", &long] {
            let refused = owner.submit(path, &named(bad)).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{kind}");
            let page = text(&refused);
            let invalid = page.matches("aria-invalid=\"true\"").count();
            assert_eq!(invalid, 1, "{page}");
            assert!(
                page.contains(&format!("name=\"name\" type=\"text\" value=\"{bad}\"")),
                "{page}"
            );
        }
        let done = owner.submit(path, &named("Rye & <b>")).await;
        assert_eq!(
            done.header("location"),
            Some("/dashboard/screens/names?done=name-changed")
        );
        let page = owner.read(path).await;
        assert!(
            page.contains("Name of Rye &amp; &lt;b&gt;") && !page.contains("<b>"),
            "{page}"
        );
    }
    // A simulation would replace the key of a screen of this name.
    let page = owner.read(path).await;
    let fields = "name=\"kind\" value=\"screen\"><input type=\"hidden\" name=\"id\" value=\"";
    let id = between(&page, fields, "\"")[0].to_owned();
    let named = [
        ("kind", "screen"),
        ("id", &*id),
        ("name", "Simulated register"),
    ];
    let refused = owner.submit(path, &named).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    owner.read("/dashboard/screens").await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    let fields = [
        ("name", "Simulated register"),
        ("type", "pos"),
        ("locationId", location),
    ];
    let refused = owner.submit("/dashboard/screens", &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(text(&refused).contains("Name is that of a simulated screen"));
    let gone = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    for kind in ["location", "screen", "account", ""] {
        let fields = [("kind", kind), ("id", gone), ("name", "Rye")];
        let refused = owner.submit(path, &fields).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{kind}");
    }
    server.kill().await;
}
