//! E-mail, handed to a mail server of the test.

use connect_core::environment::{Mail, Mailer as _};
use connect_server::mail::{SmtpMailer, SmtpUrl};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
};

fn mail() -> Mail {
    Mail {
        to: "owner@shop.example".to_owned(),
        subject: "A webhook was switched off".to_owned(),
        text: "It failed.\n".to_owned(),
    }
}

fn mailer(url: &str) -> Result<SmtpMailer, String> {
    let from = "Connect <connect@shop.example>".parse().unwrap();
    SmtpMailer::new(&SmtpUrl::from(url.to_owned()), from).map_err(|error| error.to_string())
}

/// Takes one message, or answers its recipient with this refusal. Returns what the client said.
async fn take_mail(listener: TcpListener, refusal: Option<&str>) -> Vec<String> {
    let (stream, _) = listener.accept().await.unwrap();
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 mail.example\r\n").await.unwrap();
    let (mut said, mut line, mut in_message) = (Vec::new(), String::new(), false);
    while stream.read_line(&mut line).await.unwrap() > 0 {
        let text = line.trim_end().to_owned();
        line.clear();
        let word = text.split(' ').next().unwrap_or_default();
        let answer = match word {
            "." => {
                in_message = false;
                "250 taken"
            }
            _ if in_message => "",
            "EHLO" => "250-mail.example\r\n250 AUTH PLAIN",
            "AUTH" => "235 you are",
            "RCPT" => refusal.unwrap_or("250 go on"),
            "DATA" => {
                in_message = true;
                "354 go on"
            }
            _ => "250 go on",
        };
        said.push(text);
        if !answer.is_empty() {
            let answer = format!("{answer}\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        if said.last().is_some_and(|said| said == "QUIT") {
            break;
        }
    }
    said
}

#[tokio::test]
async fn a_message_is_handed_to_the_mail_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mailer = mailer(&format!("smtp://user:pass%20word@{address}")).unwrap();
    assert!(!format!("{mailer:?}").contains("word"));
    let message = mail();
    let server = tokio::spawn(take_mail(listener, None));
    assert_eq!(mailer.send(&message).await, Ok(()));
    // The connection ends with the mailer at the latest.
    drop(mailer);
    let said = server.await.unwrap().join("\n");
    for expected in [
        // "\0user\0pass word"
        "AUTH PLAIN AHVzZXIAcGFzcyB3b3Jk",
        "MAIL FROM:<connect@shop.example>",
        "RCPT TO:<owner@shop.example>",
        "From: Connect <connect@shop.example>",
        "To: owner@shop.example",
        "Subject: A webhook was switched off",
        "Content-Type: text/plain; charset=utf-8",
        "It failed.",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[tokio::test]
async fn a_refusal_is_told_without_the_words_of_the_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mailer = mailer(&format!("smtp://user:word@{address}")).unwrap();
    let refusal = Some("550 not with AHVzZXIAd29yZA==");
    let server = tokio::spawn(take_mail(listener, refusal));
    let refused = mailer.send(&mail()).await.unwrap_err();
    assert_eq!(refused, "the mail server answered 550");
    drop(mailer);
    server.await.unwrap();
}

#[test]
fn a_password_is_sent_in_secret_and_never_shown() {
    for (url, is_taken) in [
        ("smtps://user:word@mail.example", true),
        ("smtp://user:word@mail.example?tls=required", true),
        ("smtp://user:word@localhost", true),
        ("smtp://user:word@[::1]:25", true),
        ("smtp://mail.example?tls=required", true),
        ("smtp://mail.example", false),
        ("smtp://user:word@mail.example", false),
        ("smtp://user:word@mail.example?tls=opportunistic", false),
        ("https://user:word@mail.example", false),
        ("user:word@mail.example", false),
        ("smtps://user:word@", false),
    ] {
        let made = mailer(url);
        assert_eq!(made.is_ok(), is_taken, "{url}: {made:?}");
        assert!(!format!("{made:?}").contains("user"), "{made:?}");
    }
    let url = SmtpUrl::from("smtps://user:word@mail.example".to_owned());
    assert_eq!(format!("{url:?}"), "SmtpUrl(..)");
}
