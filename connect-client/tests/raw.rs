//! Requests that the SDK has no method for.

use connect_client::{ErrorKind, Method};
use serde_json::{Value, json};

use crate::support::script::{Script, bare, json as reply, text};

#[tokio::test(start_paused = true)]
async fn a_raw_write_goes_the_way_of_every_call() {
    let script = Script::new([bare(503), reply(201, &json!({ "data": { "id": 7 } }))]);
    let call = script
        .client()
        .request(Method::POST, "/locations/1/tables")
        .query("dryRun", true)
        .query("note", "a&b c")
        .body(&json!({ "name": "Window" }))
        .json::<Value>();
    let made = call.await.unwrap();
    assert_eq!(made["data"]["id"], 7);
    let sent = script.finish();
    for sent in &sent {
        assert_eq!(
            sent.target(),
            "/locations/1/tables?dryRun=true&note=a%26b+c"
        );
        assert_eq!(sent.json()["name"], "Window");
        assert_eq!(sent.header("content-type"), Some("application/json"));
        assert!(sent.header("authorization").is_some());
    }
    assert!(sent[0].key().is_some() && sent[0].key() == sent[1].key());
}

#[tokio::test]
async fn a_raw_read_carries_no_key_and_may_be_of_any_kind() {
    let script = Script::new([text(200, &[], "Bread;345"), text(200, &[], "Bread;345")]);
    let client = script.client();
    let body = client.request(Method::GET, "/export").bytes().await;
    assert_eq!(&*body.unwrap(), b"Bread;345");
    let error = client.request(Method::GET, "/export").json::<Value>().await;
    assert!(matches!(error.unwrap_err().kind(), ErrorKind::Decode(_)));
    assert!(script.finish().iter().all(|sent| sent.key().is_none()));
}

#[tokio::test]
async fn a_raw_path_cannot_leave_the_base_address() {
    let script = Script::new([]);
    for path in ["locations", "/../admin", "https://elsewhere.example"] {
        let call = script.client().request(Method::GET, path).bytes();
        let error = call.await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Request(_)), "{error}");
    }
}
