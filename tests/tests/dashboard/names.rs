//! Locations and screens get other names.

use http::StatusCode;

use super::{browser::text, demo, lists::between};

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
            assert_eq!(page.matches("role=\"alert\"").count(), 1, "{page}");
            assert!(
                page.contains(&format!("name=\"name\" value=\"{bad}\"")),
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
    let gone = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    for kind in ["location", "screen", "account", ""] {
        let fields = [("kind", kind), ("id", gone), ("name", "Rye")];
        let refused = owner.submit(path, &fields).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{kind}");
    }
    server.kill().await;
}
