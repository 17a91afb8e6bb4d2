//! The servers in the documentation, started and sent deliveries.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant, SystemTime},
};

use connect_webhook_verify::sign;

use super::{super::support::secret, Directory, LANGUAGES, Language};

/// A server that is stopped when the test is over.
struct Server(Child, u16);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    fn start(language: &Language, directory: &Directory) -> Self {
        language.unpack(&directory.0);
        let server = language.file(&directory.0, "server");
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut command = Command::new(language.program);
        if language.name == "PHP" {
            command.arg("-S").arg(format!("127.0.0.1:{port}"));
        }
        let child = command
            .arg(server)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PORT", port.to_string())
            .env("WEBHOOK_SECRETS", "whsec_other,whsec_test_secret")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self(child, port);
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{} did not start",
                language.name
            );
            sleep(Duration::from_millis(20));
        }
        server
    }

    /// Sends a delivery and gives the status.
    fn send(&self, header: Option<&str>, body: &[u8]) -> u16 {
        let mut connection = TcpStream::connect(("127.0.0.1", self.1)).unwrap();
        connection
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let signature = header.map(|header| format!("Service-Signature: {header}\r\n"));
        let head = format!(
            "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
             {}Content-Length: {}\r\n\r\n",
            signature.unwrap_or_default(),
            body.len()
        );
        connection.write_all(head.as_bytes()).unwrap();
        // A server that refuses by the length alone may close before it has read all.
        let _ = connection.write_all(body);
        let mut status = [0; 12];
        connection.read_exact(&mut status).unwrap();
        std::str::from_utf8(&status[9..]).unwrap().parse().unwrap()
    }
}

#[test]
fn each_server_takes_what_is_signed_and_refuses_the_rest() {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let header = |time, body: &[u8]| sign(&secret(), time, body).to_string();
    let body = "{\"id\":\"evt_1\",\"name\":\"Käse\",  \"a\":1.0}".as_bytes();
    for language in LANGUAGES.into_iter().filter(Language::is_installed) {
        let directory = Directory::new(&format!("webhook-server-{}", language.ending));
        let server = Server::start(&language, &directory);
        let large = vec![b' '; 1024 * 1024 + 1];
        for (what, header, body, status) in [
            ("signed", Some(header(now, body)), body, 204),
            (
                "changed",
                Some(header(now, b"{\"id\":\"evt_2\"}")),
                body,
                401,
            ),
            ("late", Some(header(now - 310, body)), body, 401),
            ("unreadable", Some("hello".into()), body, 400),
            ("unsigned", None, body, 400),
            ("too large", Some(header(now, &large)), &large, 413),
            ("signed again", Some(header(now, body)), body, 204),
        ] {
            let answer = server.send(header.as_deref(), body);
            assert_eq!(answer, status, "{}: {what}", language.name);
        }
        println!("{}: the server answers as it should", language.name);
    }
}
