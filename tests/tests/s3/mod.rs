//! Images in a bucket, from the product's link to the served copy, with servers as processes.

mod moto;

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::Path,
    time::Duration,
};

use connect_tests::{
    http::{Answer, Request, send},
    process::{PLENTY, Process, run_in},
};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    time::{Instant, sleep, timeout},
};

use self::moto::{BUCKET, Moto, free_address};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// The second and the third try of an image come after 10 and after 60 seconds.
const PATIENCE: Duration = Duration::from_secs(100);

/// Stand for secrets, never to be found in a log.
const SECRET: &str = "hunter2-hunter2";
const SESSION: &str = "hunter3-hunter3";

/// A host of pictures: a GIF of one pixel, whose colour is the length of the path.
async fn pictures() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 4096];
            let read = stream.read(&mut head).await.unwrap();
            let path = head[..read].split(|byte| *byte == b' ').nth(1).unwrap();
            let mut pixel = *b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
            pixel[14] = 16 * path.len() as u8;
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", pixel.len());
            let _ = stream.write_all(&[head.as_bytes(), &pixel].concat()).await;
        }
    });
    address
}

/// The settings of an S3, with a key.
fn settings(s3: SocketAddr) -> Vec<(&'static str, String)> {
    vec![
        ("CONNECT_STORAGE", "memory".to_owned()),
        ("CONNECT_IMAGES", format!("s3://{BUCKET}/images/of/shops")),
        ("AWS_ENDPOINT", format!("http://{s3}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "AKIA".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
        ("AWS_SESSION_TOKEN", SESSION.to_owned()),
        // Without a key, nothing outside of this machine is asked for one.
        ("AWS_METADATA_ENDPOINT", "http://127.0.0.1:1".to_owned()),
        ("NO_PROXY", "127.0.0.1".to_owned()),
        ("RUST_LOG", "trace".to_owned()),
    ]
}

fn borrowed<'s>(settings: &'s [(&'static str, String)]) -> Vec<(&'s str, &'s str)> {
    settings
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect()
}

/// Starts a demo on this S3, whose log is a file of this name.
async fn serve(s3: SocketAddr, folder: &Path, log: &str) -> Process {
    let data = folder.join(format!("{log}-data"));
    let settings = [
        settings(s3),
        vec![("CONNECT_DATA", data.display().to_string())],
    ]
    .concat();
    let log = File::create(folder.join(log)).unwrap();
    start(&settings, log).await
}

async fn start(settings: &[(&'static str, String)], log: File) -> Process {
    let words = [&["demo", "--json"], &PLENTY[..]].concat();
    let started = Process::start_in(PROGRAM, &words, &borrowed(settings), log).await;
    started.unwrap()
}

/// Gives a product a link: a new one, or this one.
async fn link(server: &Process, product: Option<&str>, url: String) -> String {
    let body = json!({ "name": "Rye", "imageUrl": url });
    let request = match product {
        None => Request::post(server.at("products"), &body),
        Some(id) => Request::patch(server.at(&format!("products/{id}")), &body),
    };
    server.send(&server.token(), request).await.id()
}

async fn product(server: &Process, id: &str) -> Value {
    let request = Request::get(server.at(&format!("products/{id}")));
    server.send(&server.token(), request).await.data()
}

/// Waits for the copy of a product's image, and returns its path: `/images/NAME`.
async fn copied(server: &Process, id: &str) -> String {
    let began = Instant::now();
    loop {
        let product = product(server, id).await;
        if product["imageStatus"] == "done" {
            let link = product["imageUrl"].as_str().unwrap();
            return link[link.find("/images/").unwrap()..].to_owned();
        }
        assert_eq!(product["imageStatus"], "pending", "{product}");
        assert!(began.elapsed() < PATIENCE, "{product}");
        sleep(Duration::from_millis(50)).await;
    }
}

async fn image(server: &Process, path: &str) -> Answer {
    send(server.address, Request::get(path)).await.unwrap()
}

/// The path of a copy in the bucket.
fn object(path: &str) -> String {
    format!("/images/of/shops{}", path.strip_prefix("/images").unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_share_a_bucket_that_goes_away_and_comes_back() {
    if moto::program().is_none() {
        return;
    }
    let (address, host, folder) = (
        free_address().await,
        pictures().await,
        TempDir::new().unwrap(),
    );
    let s3 = Moto::start(address, false).await.unwrap();
    let mut one = serve(address, folder.path(), "one").await;
    let two = serve(address, folder.path(), "two").await;

    // What one server stores both serve, and with the same headers as from a folder.
    let rye = link(&one, None, format!("http://{host}/a")).await;
    let first = copied(&one, &rye).await;
    let stored = s3.s3(Method::GET, &object(&first), b"").await.expect(200);
    for server in [&one, &two] {
        let served = image(server, &first).await.expect(200);
        assert_eq!(served.header("content-type"), Some("image/png"));
        let caching = "public, max-age=31536000, immutable";
        assert_eq!(served.header("cache-control"), Some(caching));
        assert_eq!(served.body, stored.body);
    }
    // Another link makes another copy, and the former one stays.
    link(&one, Some(&rye), format!("http://{host}/ab")).await;
    let second = copied(&one, &rye).await;
    assert_ne!(first, second);
    image(&two, &first).await.expect(200);
    image(&two, &second).await.expect(200);
    // The same image from the other server is the same copy.
    let same = link(&two, None, format!("http://{host}/b")).await;
    assert_eq!(copied(&two, &same).await, first);
    // A damaged copy is not served, and a missing one is not found.
    s3.s3(Method::PUT, &object(&second), b"soap")
        .await
        .expect(200);
    image(&one, &second).await.expect(500);
    image(&one, &format!("/images/{}.png", "0".repeat(64)))
        .await
        .expect(404);

    drop(s3);
    let began = Instant::now();
    let away = image(&two, &first).await.fails(503, "server_error");
    assert!((1..=60).contains(&away.number("retry-after")));
    assert!(began.elapsed() < Duration::from_secs(8), "{began:?}");
    let oat = link(&one, None, format!("http://{host}/abc")).await;
    let tried = || async {
        let jobs = one
            .send(&one.token(), Request::get(one.at("image-jobs")))
            .await
            .list();
        let job = jobs
            .into_iter()
            .find(|job| job["productId"] == oat.as_str());
        job.is_some_and(|job| job["error"]["code"] == "server_error")
    };
    while !tried().await {
        assert!(began.elapsed() < PATIENCE);
        sleep(Duration::from_millis(50)).await;
    }
    // Everything else is answered as ever.
    assert_eq!(product(&one, &oat).await["imageStatus"], "pending");

    // Nobody has to do anything once it is back.
    let s3 = Moto::start(address, false).await.unwrap();
    let third = copied(&one, &oat).await;
    image(&two, &third).await.expect(200);
    // This S3 forgets: the copy is restored as from any backup.
    image(&two, &first).await.expect(404);
    s3.s3(Method::PUT, &object(&first), &stored.body)
        .await
        .expect(200);
    image(&two, &first).await.expect(200);

    // Neither a hanging S3 nor a hanging request keeps a server from stopping.
    s3.signal("-STOP");
    link(&one, None, format!("http://{host}/abcd")).await;
    let reading = image(&one, &first);
    let stopping = async {
        sleep(Duration::from_millis(500)).await;
        one.ask_to_stop().await;
    };
    let (_, ()) = tokio::join!(timeout(Duration::from_secs(9), reading), stopping);
    let began = Instant::now();
    assert_eq!(two.stop().await, Some(0));
    assert_eq!(one.wait().await, Some(0));
    assert!(began.elapsed() < Duration::from_secs(9), "{began:?}");

    for log in ["one", "two"] {
        let log = fs::read_to_string(folder.path().join(log)).unwrap();
        for secret in [SECRET, SESSION] {
            assert!(!log.contains(secret), "a secret is in the log");
        }
    }
}

/// Then the variables of S3 are set, and nothing else changes.
#[tokio::test]
async fn the_copies_of_a_folder_are_moved_as_they_are() {
    if moto::program().is_none() {
        return;
    }
    let (address, host, folder) = (
        free_address().await,
        pictures().await,
        TempDir::new().unwrap(),
    );
    let data = folder.path().join("store");
    let before = Process::start(PROGRAM, &data, &[]).await.unwrap();
    let rye = link(&before, None, format!("http://{host}/a")).await;
    let copy = copied(&before, &rye).await;
    let served = image(&before, &copy).await.expect(200);
    assert_eq!(before.stop().await, Some(0));

    let s3 = Moto::start(address, false).await.unwrap();
    let files: Vec<_> = fs::read_dir(folder.path().join("images"))
        .unwrap()
        .collect();
    assert_eq!(files.len(), 1);
    for file in files {
        let file = file.unwrap();
        let key = format!("/images/of/shops/{}", file.file_name().to_str().unwrap());
        let bytes = fs::read(file.path()).unwrap();
        s3.s3(Method::PUT, &key, &bytes).await.expect(200);
    }
    let after = serve(address, folder.path(), "after").await;
    assert_eq!(image(&after, &copy).await.expect(200).body, served.body);
    assert_eq!(after.stop().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_setting_ends_the_start_in_one_sentence() {
    if moto::program().is_none() {
        return;
    }
    let address = free_address().await;
    let s3 = Moto::start(address, true).await.unwrap();
    let key = s3.key.clone().unwrap();
    let good = [
        ("AWS_ACCESS_KEY_ID", &*key.id),
        ("AWS_SECRET_ACCESS_KEY", &*key.secret),
        ("AWS_SESSION_TOKEN", ""),
    ];
    let folder = TempDir::new().unwrap();
    let settings = settings(address);
    let with = |changed: &[(&'static str, &str)]| {
        let data = (
            "CONNECT_DATA",
            folder.path().join("data").display().to_string(),
        );
        let changed = good
            .iter()
            .chain(changed)
            .map(|(name, value)| (*name, (*value).to_owned()));
        let settings = settings.iter().cloned().chain([data]).chain(changed);
        settings.collect::<Vec<_>>()
    };
    for (changed, told) in [
        (
            &[("AWS_ACCESS_KEY_ID", "AKIAHUNTER2")][..],
            "set AWS_ACCESS_KEY_ID and AWS_SECRET",
        ),
        (
            &[("AWS_SECRET_ACCESS_KEY", SECRET)],
            "set AWS_SECRET_ACCESS_KEY",
        ),
        (
            &[("AWS_SECRET_ACCESS_KEY", "")],
            "set AWS_SECRET_ACCESS_KEY",
        ),
        (&[("AWS_ACCESS_KEY_ID", "")], "set AWS_ACCESS_KEY_ID"),
        (
            &[("AWS_ACCESS_KEY_ID", ""), ("AWS_SECRET_ACCESS_KEY", "")],
            "there is no key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        ),
        (
            &[("CONNECT_IMAGES", "s3://other")],
            "there is no such bucket",
        ),
        (&[("AWS_ALLOW_HTTP", "")], "AWS_ALLOW_HTTP=true"),
        (
            &[("AWS_ENDPOINT", "s3.example:9000")],
            "AWS_ENDPOINT is not an address",
        ),
    ] {
        let began = Instant::now();
        let ended = run_in(PROGRAM, &["serve"], &borrowed(&with(changed))).await;
        ended.is_refused(told);
        assert!(began.elapsed() < Duration::from_secs(15), "{changed:?}");
        assert_eq!(ended.said.lines().count(), 1, "{}", ended.said);
        for secret in ["hunter", "HUNTER", &key.secret] {
            assert!(!ended.said.contains(secret), "{}", ended.said);
        }
    }
    // S3 checks the signatures of a server with the right key.
    let log = File::create(folder.path().join("log")).unwrap();
    let settings = with(&[("CONNECT_IMAGES", "s3://shop")]);
    let (server, host) = (start(&settings, log).await, pictures().await);
    let rye = link(&server, None, format!("http://{host}/a")).await;
    let copy = copied(&server, &rye).await;
    image(&server, &copy).await.expect(200);
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_starts_while_s3_is_down() {
    if moto::program().is_none() {
        return;
    }
    let (address, host, folder) = (
        free_address().await,
        pictures().await,
        TempDir::new().unwrap(),
    );
    let began = Instant::now();
    let server = serve(address, folder.path(), "log").await;
    assert!(began.elapsed() < Duration::from_secs(20), "{began:?}");
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let warning = "the bucket for images, s3://shop/images/of/shops, cannot be used yet";
    assert!(
        log.lines()
            .any(|line| line.contains("WARN") && line.contains(warning)),
        "{log}"
    );
    let rye = link(&server, None, format!("http://{host}/a")).await;
    let _s3 = Moto::start(address, false).await.unwrap();
    let copy = copied(&server, &rye).await;
    image(&server, &copy).await.expect(200);
    assert_eq!(server.stop().await, Some(0));
}
