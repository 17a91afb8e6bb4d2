//! The values of headers, sent to the real server by a trusted proxy.

use std::{future::pending, net::SocketAddr, time::Duration};

use connect_server::{
    app::{ConnectApp, ListenerKind},
    net::{Listen, PlainHttp, Server},
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::timeout,
};

use crate::{
    Target, Verdict,
    shop::{Place, Shop},
};

/// The most requests to one server, to bound its memory.
const MOST: usize = 50_000;
/// The time limit of an answer.
const AT_MOST: Duration = Duration::from_secs(20);
/// Headers for framing or keeping a connection, never sent here.
/// Another value would make another stream.
const FRAMING: [&str; 5] = [
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "expect",
];

const SEEDS: &[&str] = &[
    "Idempotency-Key: order-17",
    "X-Request-Id: a.b_c-1",
    "X-Forwarded-For: 203.0.113.7, [2001:db8::7]:80, 127.0.0.1\nX-Forwarded-Proto: https, HTTPS",
    "Host: shop.example:8080",
    "Content-Type: application/json; charset=utf-8\nContent-Encoding: identity",
    "Accept: */*\nAccept-Encoding: gzip, br;q=0\nUser-Agent: till/1.0",
    "Authorization: bearer  @",
];

const WORDS: &[&str] = &[
    "Idempotency-Key: ",
    "X-Request-Id: ",
    "X-Forwarded-For: ",
    "X-Forwarded-Proto: ",
    "Host: ",
    "Content-Type: ",
    "Content-Encoding: ",
    "Accept: ",
    "Authorization: ",
    "Bearer ",
    "Basic ",
    "@",
    "\n",
    "::1",
    "[::1]:1",
    "127.0.0.1",
    "::ffff:10.0.0.1",
    "https",
    "http",
    "gzip",
    "application/json",
    "text/plain",
    "Date: ",
    "If-Match: ",
    "Cookie: ",
    "\u{e9}",
    "\t",
];

thread_local! {
    static CLIENT: Place<Client> = const { Place::new() };
}

/// Returns the target.
pub(super) fn targets() -> Vec<Target> {
    vec![Target::new("header", SEEDS, WORDS, send)]
}

/// A connection to a server, with the details of its requests.
/// The server works on the shop's runtime while an answer is awaited: two threads would mostly wait for each
/// other on a busy machine.
struct Client {
    shop: Shop,
    address: SocketAddr,
    location: String,
    stream: Option<BufReader<TcpStream>>,
    sent: usize,
}

/// An answer of the server.
struct Answer {
    status: u16,
    request_id: String,
    body: Vec<u8>,
    closes: bool,
}

/// Sends header lines with a request with an invalid body.
/// If the core refuses it, everything in front has taken the headers.
fn send(lines: &[u8]) -> Verdict {
    let lines: Vec<_> = lines.split(|byte| *byte == b'\n').collect();
    let Some(headers) = lines
        .iter()
        .map(|line| header(line))
        .collect::<Option<Vec<_>>>()
    else {
        return Verdict::Refused;
    };
    CLIENT.with(|place| {
        let (answer, is_old) = place.with(Client::new, |client| {
            (client.ask(&headers), client.sent >= MOST)
        });
        if is_old {
            place.clear();
        }
        answer.check(&headers);
        Verdict::of(answer.status == 422)
    })
}

/// Parses a header line; `None` if it could frame another request.
fn header(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let at = line.iter().position(|byte| *byte == b':')?;
    let name = std::str::from_utf8(&line[..at]).ok()?.to_ascii_lowercase();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let value = line[at + 1..].to_vec();
    let is_sound = !name.is_empty()
        && name.bytes().all(is_name)
        && !FRAMING.contains(&&*name)
        && !value.iter().any(|byte| matches!(byte, b'\r' | b'\0'));
    is_sound.then_some((name, value))
}

impl Client {
    fn new() -> Self {
        let shop = Shop::open();
        let location = shop.at.location().id.to_string();
        let listen = Listen {
            plain: PlainHttp::BehindProxy("127.0.0.0/8".parse().unwrap()),
            ..Listen::on(([127, 0, 0, 1], 0).into())
        };
        let server = shop.wait(Server::bind(listen)).unwrap();
        let address = server.address();
        let app = ConnectApp::new(shop.connect.clone(), ListenerKind::Api);
        shop.start(server.serve(app, pending()));
        Self {
            shop,
            address,
            location,
            stream: None,
            sent: 0,
        }
    }

    fn ask(&mut self, headers: &[(String, Vec<u8>)]) -> Answer {
        let mut request = format!("POST /v1/locations/{}/products HTTP/1.1\r\n", self.location);
        let has = |name: &str| headers.iter().any(|(sent, _)| sent == name);
        for (name, value) in [
            ("host", "localhost"),
            ("content-type", "application/json"),
            ("authorization", "Bearer @"),
        ] {
            if !has(name) {
                request += &format!("{name}: {}\r\n", value.replace('@', &self.shop.token));
            }
        }
        let mut request = request.into_bytes();
        for (name, value) in headers {
            request.extend_from_slice(name.as_bytes());
            request.extend_from_slice(b": ");
            match value.iter().position(|byte| *byte == b'@') {
                Some(at) if name == "authorization" => {
                    request.extend_from_slice(&value[..at]);
                    request.extend_from_slice(self.shop.token.as_bytes());
                    request.extend_from_slice(&value[at + 1..]);
                }
                _ => request.extend_from_slice(value),
            }
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"content-length: 2\r\n\r\n{}");
        self.sent += 1;
        let (stream, address) = (self.stream.take(), self.address);
        let exchange = async {
            let mut stream = match stream {
                Some(stream) => stream,
                None => connect(address).await,
            };
            stream.write_all(&request).await.unwrap();
            (Answer::read(&mut stream).await, stream)
        };
        let asked = self.shop.wait(async { timeout(AT_MOST, exchange).await });
        let (answer, stream) = asked.unwrap();
        self.stream = (!answer.closes).then_some(stream);
        answer
    }
}

async fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    BufReader::new(stream)
}

impl Answer {
    async fn read(stream: &mut BufReader<TcpStream>) -> Self {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        let status = line.get(9..12).and_then(|status| status.parse().ok());
        let mut answer = Self {
            status: status.unwrap_or_else(|| panic!("no status in {line:?}")),
            request_id: String::new(),
            body: Vec::new(),
            closes: false,
        };
        let mut length = 0;
        loop {
            line.clear();
            stream.read_line(&mut line).await.unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            match name {
                "content-length" => length = value.parse().unwrap(),
                "x-request-id" => answer.request_id = value.to_owned(),
                "connection" => answer.closes = value == "close",
                _ => {}
            }
        }
        answer.body.resize(length, 0);
        stream.read_exact(&mut answer.body).await.unwrap();
        answer
    }

    /// Checks the properties of every answer.
    fn check(&self, headers: &[(String, Vec<u8>)]) {
        let body: Value = serde_json::from_slice(&self.body).unwrap();
        assert!(
            (400..500).contains(&self.status) && self.status != 429,
            "{}: {body}",
            self.status
        );
        assert!(body["error"]["code"].is_string(), "{body}");
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.len() < 1000, "a message of {} bytes", message.len());
        let usable = |id: &[u8]| {
            let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
            (1..=100).contains(&id.len()) && id.iter().all(is_safe)
        };
        assert!(usable(self.request_id.as_bytes()), "{:?}", self.request_id);
        let mut sent = headers.iter().filter(|(name, _)| name == "x-request-id");
        if let (Some((_, id)), None) = (sent.next(), sent.next())
            && usable(id.trim_ascii())
            && self.status == 422
        {
            assert_eq!(self.request_id.as_bytes(), id.trim_ascii());
        }
    }
}
