//! A mistake of an integrator: found on the page of the webhook, mended, and sent again.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering::Relaxed},
    },
    time::Duration,
};

use http::StatusCode;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::sleep,
};

use super::{
    browser::{Browser, text},
    demo,
    filled::between,
};

/// A receiver of webhooks that answers as the test says.
struct Receiver {
    url: String,
    status: Arc<AtomicU16>,
    received: Arc<Mutex<Vec<Value>>>,
}

impl Receiver {
    async fn open(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/in", listener.local_addr().unwrap());
        let status = Arc::new(AtomicU16::new(status));
        let received = Arc::new(Mutex::new(Vec::new()));
        let (answers, events) = (status.clone(), received.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let event = body(&mut stream).await;
                events.lock().unwrap().push(event);
                let (status, says) = (answers.load(Relaxed), "no field totalPrice");
                let answer = format!(
                    "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{says}",
                    says.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self {
            url,
            status,
            received,
        }
    }

    fn events(&self) -> Vec<Value> {
        self.received.lock().unwrap().clone()
    }

    /// Waits for so many events.
    async fn wait_for(&self, count: usize) {
        for _ in 0..300 {
            if self.events().len() >= count {
                return;
            }
            sleep(Duration::from_millis(100)).await;
        }
        panic!("{count} events did not come: {:?}", self.events());
    }
}

/// Reads a request, and returns its body.
async fn body(stream: &mut TcpStream) -> Value {
    let mut read = Vec::new();
    loop {
        let mut piece = vec![0; 64 * 1024];
        let length = stream.read(&mut piece).await.unwrap();
        read.extend_from_slice(&piece[..length]);
        let request = String::from_utf8_lossy(&read);
        let body = request.split_once("\r\n\r\n").map(|(_, body)| body);
        match serde_json::from_str(body.unwrap_or_default()) {
            Ok(event) => return event,
            Err(error) => assert!(length > 0, "{error}: {request}"),
        }
    }
}

/// Reads a page until it has these parts.
async fn read_until(owner: &mut Browser, path: &str, parts: &[&str]) -> String {
    let mut page = String::new();
    for _ in 0..300 {
        page = owner.read(path).await;
        if parts.iter().all(|part| page.contains(part)) {
            return page;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("no {parts:?} in 30 seconds: {page}");
}

#[tokio::test]
async fn a_mistake_is_found_by_a_test_event_and_its_answer() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    let receiver = Receiver::open(500).await;
    owner.read("/dashboard/webhooks/new").await;
    let fields = [("url", &*receiver.url), ("event", "order.created")];
    let made = text(&owner.submit("/dashboard/webhooks", &fields).await);
    let id = between(&made, "href=\"/dashboard/webhooks/", "\"").to_owned();
    let path = format!("/dashboard/webhooks/{id}");

    owner.read(&path).await;
    let test = [("event", "order.created")];
    let sent = owner.submit(&format!("{path}/test"), &test).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER);
    let parts = [
        "Failing since",
        "0 % of one attempt succeeded.",
        "The endpoint answered 500.",
        "See the delivery",
        "Waiting</span>",
    ];
    let page = read_until(&mut owner, &path, &parts).await;
    let delivery = between(&page, "/deliveries/", "\"").to_owned();
    let shown = owner.read(&format!("{path}/deliveries/{delivery}")).await;
    for part in ["no field totalPrice", "Test</span>", "totalCents"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let event = receiver.events().remove(0);
    assert_eq!(event["type"], "order.created");
    assert_eq!(event["locationId"], location);
    assert_eq!(event["sequence"], 0);
    assert_eq!(event["data"]["totalCents"], 800);

    // Mended: the retry comes as it was.
    receiver.status.store(200, Relaxed);
    owner.read("/dashboard/sandbox").await;
    let ahead = [
        ("at", location),
        ("do", "clock"),
        ("advanceBySeconds", "60"),
    ];
    owner.submit("/dashboard/sandbox", &ahead).await;
    receiver.wait_for(2).await;
    let parts = [
        "It works.",
        "50 % of 2 attempts succeeded.",
        "Delivered</span>",
    ];
    let page = read_until(&mut owner, &path, &parts).await;
    assert_eq!(receiver.events()[1], event);
    assert_eq!(page.matches("type=\"checkbox\"").count(), 1);

    // Without a choice the list says so; the way back keeps its filters.
    let filters = "result=delivered&event=order.created&sort=-time";
    let list = owner.read(&format!("{path}?{filters}")).await;
    let form = between(&list, &format!("action=\"{path}/resend\""), "</form>");
    assert!(
        form.contains("name=\"result\" value=\"delivered\""),
        "{form}"
    );
    let none = owner
        .open(&format!("{path}/resend?of=chosen&{filters}"))
        .await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    let none = text(&none);
    for part in [
        "Choose at least one delivery in the list first.",
        "<option value=\"delivered\" selected>",
        "type=\"checkbox\"",
    ] {
        assert!(none.contains(part), "{part}: {none}");
    }
    let kept = format!("?{}", filters.replace('&', "&amp;"));
    let asked = owner
        .read(&format!(
            "{path}/resend?of=chosen&delivery={delivery}&{filters}"
        ))
        .await;
    for part in [
        format!("href=\"{path}{kept}\">Cancel"),
        format!("action=\"{path}/resend{kept}\""),
    ] {
        assert!(asked.contains(&part), "{part}: {asked}");
    }

    // Chosen in the list, counted, and sent again once.
    let chosen = format!("{path}/resend?of=chosen&delivery={delivery}");
    let asked = owner.read(&chosen).await;
    assert!(asked.contains("One delivery can be sent again."), "{asked}");
    let fields = [("delivery", &*delivery)];
    for (status, part) in [
        (StatusCode::OK, "One delivery is sent again."),
        (StatusCode::CONFLICT, "nothing was done this time"),
    ] {
        let answer = owner.submit(&format!("{path}/resend"), &fields).await;
        assert_eq!(answer.status, status);
        assert!(text(&answer).contains(part), "{part}");
    }
    receiver.wait_for(3).await;
    assert_eq!(receiver.events()[2]["id"], event["id"]);
    let delivered = format!("{path}?result=delivered&event=order.created");
    for _ in 0..300 {
        let page = owner.read(&delivered).await;
        if page.matches("Delivered</span>").count() == 2 {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    let file = owner.open(&format!("{delivered}&format=csv")).await;
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(text(&file).lines().count(), 3);
    assert_eq!(receiver.events().len(), 3, "once");
    server.kill().await;
}
