//! Mail to users: a plain text under headers of the service, whatever the names in it are.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use connect_tests::data::DataFolder;
use http::StatusCode;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    time::sleep,
};

use super::super::{
    PROGRAM,
    browser::Browser,
    filled::{account, command, id, invite, serve_with},
    texts::EVIL,
};

/// The headers of each message.
const HEADERS: [&str; 8] = [
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
];

/// The messages that a mail server has taken.
type Taken = Arc<Mutex<Vec<String>>>;

/// A mail server that takes every message.
async fn mail_server() -> (SocketAddr, Taken) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let taken = Taken::default();
    let all = taken.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(take(stream, all.clone()));
        }
    });
    (address, taken)
}

/// Takes the messages of a connection.
async fn take(stream: TcpStream, taken: Taken) {
    let mut stream = BufReader::new(stream);
    let (mut line, mut message) = (String::new(), None);
    let mut answer = "220 mail.example";
    loop {
        if !answer.is_empty() {
            let answer = format!("{answer}\r\n");
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
        line.clear();
        if !matches!(stream.read_line(&mut line).await, Ok(1..)) {
            return;
        }
        let said = line.trim_end_matches(['\r', '\n']);
        answer = match (said, &mut message) {
            (".", Some(_)) => {
                taken.lock().unwrap().extend(message.take());
                "250 taken"
            }
            (said, Some(message)) => {
                *message += said;
                *message += "\n";
                ""
            }
            ("DATA", None) => {
                message = Some(String::new());
                "354 go on"
            }
            _ => "250 go on",
        };
    }
}

#[tokio::test]
async fn names_of_others_are_texts_in_mail_and_no_headers() {
    let (address, taken) = mail_server().await;
    let data = DataFolder::new(PROGRAM, "account");
    let url = format!("smtp://{address}");
    let flags = ["--smtp-url", &url, "--mail-from", "connect@shops.example"];
    let server = serve_with(&data, &flags).await;
    let email = "evil@shops.example";
    let account = account(&data, EVIL, email).await;
    let mut owner = Browser::of_owner(&server, &invite(&data, &account).await).await;
    let create = ["user", "create", "--account", &account, "--name", EVIL];
    let create = [
        &create[..],
        &["--role", "manager", "--email", "kim@shops.example"],
    ]
    .concat();
    let user = id(&command(&data, &create).await[0]);
    owner.read("/dashboard/account").await;
    let invite = format!("/dashboard/users/{user}/invite");
    assert_eq!(owner.submit(&invite, &[]).await.status, StatusCode::OK);
    let mut other = Browser::at(&server).named(EVIL);
    other.sign_in(email).await.expect(303);
    // A name of several lines is none.
    for (path, name) in [
        ("account", "Mill\r\nBcc: x@evil.example"),
        ("account/profile", "Noor\nBcc: x@y.z"),
    ] {
        owner.read("/dashboard/account").await;
        let fields = [("name", name), ("language", "en")];
        let refused = owner.submit(&format!("/dashboard/{path}"), &fields).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
    }
    // The invitations of both, and a sign-in in another browser.
    for _ in 0..300 {
        if taken.lock().unwrap().len() >= 3 {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    let mails = taken.lock().unwrap().clone();
    assert!(mails.len() >= 3, "{mails:?}");
    for mail in &mails {
        let (head, body) = mail.split_once("\n\n").unwrap();
        for line in head.lines().filter(|line| !line.starts_with([' ', '\t'])) {
            let (name, _) = line.split_once(": ").unwrap();
            assert!(HEADERS.contains(&name), "{name}: {mail}");
        }
        let kinds = head
            .matches("Content-Type: text/plain; charset=utf-8")
            .count();
        assert_eq!(kinds, 1, "{mail}");
        assert!(body.replace("=\n", "").contains("alert(2)"), "{mail}");
    }
    server.kill().await;
}
