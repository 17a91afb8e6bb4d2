//! The program: its store is its own, and it ends in good order. `stories/commands.txt` has the demo.

use connect_tests::{http::Request, process::Process};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

#[tokio::test]
async fn a_store_that_is_in_use_is_a_clear_error() {
    let data = tempfile::tempdir().unwrap();
    let store = data.path().join("s");
    let first = Process::start(PROGRAM, &store, &[]).await.unwrap();
    let second = Process::start(PROGRAM, &store, &[]).await;
    let Err(refused) = second else {
        panic!("two servers on one store")
    };
    assert!(refused.code.is_some_and(|code| code != 0), "{refused:?}");
    assert!(refused.said.contains("use"), "{refused:?}");
    let locations = first
        .send(&first.token(), Request::get("/v1/locations"))
        .await;
    locations.expect(200);
}

/// The server says `100 Continue` when it begins to read the body: from then on the request is
/// under way, and the signal must not take it away.
#[tokio::test]
async fn a_request_under_way_is_finished_before_the_end() {
    let data = tempfile::tempdir().unwrap();
    let mut server = Process::start(PROGRAM, &data.path().join("s"), &[])
        .await
        .unwrap();
    let body = r#"{"name":"Rye"}"#;
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nExpect: 100-continue\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        server.at("products"),
        server.address,
        server.token(),
        body.len(),
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    server.ask_to_stop().await;
    // Stopping, it takes no new connection.
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert_eq!(server.wait().await, Some(0));
}
