//! The copies over HTTP.

use std::sync::Arc;

use connect_core::{Connect, environment::Images as _, storage::memory::MemoryStorage};
use connect_server::{
    app::{ConnectApp, ListenerKind},
    images::{Copies, ImageService, PublicUrl},
    net::{Listen, Server},
    networks::Networks,
};
use http::{Method, StatusCode};
use tokio::sync::oneshot;

use super::{PATIENCE, pictures};
use crate::host::{Host, Script};

#[tokio::test]
async fn a_copy_is_served_to_everybody_and_forever() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::bind(Listen::on("127.0.0.1:0".parse().unwrap()))
        .await
        .unwrap();
    let copies = Copies::in_folder(folder.path()).unwrap();
    let public = PublicUrl::of(&server);
    let service = ImageService::new(copies, public, Networks::loopback(), PATIENCE).unwrap();
    let storage = Arc::new(MemoryStorage::new());
    let connect = Connect::builder(storage).build();
    let app = ConnectApp::new(connect, ListenerKind::Api).with_images(service.copies());
    let (stop, stopped) = oneshot::channel::<()>();
    let base = format!("http://{}", server.address());
    let serving = tokio::spawn(server.serve(app, async {
        let _ = stopped.await;
    }));

    let host = Host::start(|_| Script::ok(&pictures::jpeg(50, 40))).await;
    let link = service.take_over(&host.link("/a.jpg")).await.unwrap();
    assert_eq!(service.take_over(&host.link("/b.jpg")).await.unwrap(), link);
    let name = link.strip_prefix(&format!("{base}/images/")).unwrap();
    let file = std::fs::read(folder.path().join(name)).unwrap();

    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let send = |method: Method, link: String| client.request(method, link);
    for method in [Method::GET, Method::HEAD] {
        let served = send(method.clone(), link.clone()).send().await.unwrap();
        assert_eq!(served.status(), StatusCode::OK);
        let headers = served.headers();
        assert_eq!(headers["content-type"], "image/jpeg");
        assert_eq!(
            headers["cache-control"],
            "public, max-age=31536000, immutable"
        );
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["etag"], format!("\"{name}\""));
        assert_eq!(headers["content-length"], file.len().to_string());
        let whole = if method == Method::GET {
            &file[..]
        } else {
            b""
        };
        assert_eq!(served.bytes().await.unwrap(), whole);
    }
    for (known, status) in [
        (&[format!("\"{name}\"").as_str()][..], 304),
        (&[&format!("W/\"{name}\", \"other\"")], 304),
        (&["*"], 304),
        (&["\"other\""], 200),
        // Text that is not ASCII is no fault, and hides no other header.
        (&["\"smörgås\""], 200),
        (&["\"smörgås\"", &format!("\"{name}\"")], 304),
    ] {
        let mut request = send(Method::GET, link.clone());
        for known in known {
            request = request.header("if-none-match", known.as_bytes());
        }
        let served = request.send().await.unwrap();
        assert_eq!(served.status().as_u16(), status);
        assert_eq!(served.headers()["etag"], format!("\"{name}\""));
        assert_eq!(served.bytes().await.unwrap().is_empty(), status == 304);
    }
    let posted = send(Method::POST, link.clone()).send().await.unwrap();
    assert_eq!(posted.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(posted.headers()["allow"], "GET, HEAD");

    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    let other = format!("{}{}", "0".repeat(64), ".jpg");
    let paths = format!(
        "/images /images/ /images/secret.txt /images/%2e%2e/secret.txt /images/..%2fsecret.txt \
         /images/{other} /images/{name}/x /images//{name} /images/./../images/x/{name} \
         /v1/images/{name}"
    );
    for path in paths.split(' ') {
        let missing = send(Method::GET, format!("{base}{path}")).send();
        let missing = missing.await.unwrap();
        let status = if path.starts_with("/v1") { 401 } else { 404 };
        assert_eq!(missing.status().as_u16(), status, "{path}");
        assert_eq!(missing.headers()["content-type"], "application/json");
        assert_eq!(missing.headers()["cache-control"], "no-store");
    }

    let _ = stop.send(());
    serving.await.unwrap();
}

#[tokio::test]
async fn a_store_that_fails_is_a_fault_that_may_pass() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("images");
    let copies = Copies::in_folder(&inner).unwrap();
    let public = "https://shop.example".parse().unwrap();
    let service = ImageService::new(copies, public, Networks::loopback(), PATIENCE).unwrap();
    // A file in place of the folder: also somebody who may do everything fails on it.
    std::fs::remove_dir(&inner).unwrap();
    std::fs::write(&inner, "").unwrap();
    let host = Host::start(|_| Script::ok(&pictures::png(5, 5))).await;
    let failed = service.take_over(&host.link("/a.png")).await.unwrap_err();
    assert_eq!(failed.code.as_str(), "server_error");
    assert!(failed.may_pass);
}
