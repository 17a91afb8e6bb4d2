//! Addresses with a password, mistyped or not: the program never shows it.

use connect_tests::process::run_in;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

const SECRET: &str = "s3cret";

/// Addresses at which there is no database. Nothing listens at port 1.
const ADDRESSES: [&str; 26] = [
    "postgres://shop:s3cret@127.0.0.1:1/shop",
    "postgres://shop:s3cret@127.0.0.1:1/shop?sslmode=require",
    "postgres://shop:s3cret@127.0.0.1:1/shop?sslmode=verify-full&channel_binding=require",
    "postgresql://shop:12/s3cret@127.0.0.1:1/shop",
    "postgres://shop:12?s3cret@127.0.0.1:1/shop",
    "postgres://shop:12#s3cret@127.0.0.1:1/shop",
    "postgres:///shop?host=127.0.0.1&port=1&user=shop&password=s3cret",
    "postgres://shop:s3cret@127.0.0.1:port/",
    "postgres://shop:s3cret@127.0.0.1:99999/shop",
    "postgres://shop:s3cret@[::1",
    "postgres://shop:s3cret@[::1:1/shop",
    "postgres://shop:s3cret@",
    "postgres://shop:s3cret@/shop",
    "postgres://shop:s3cret",
    "postgress://shop:s3cret@127.0.0.1:1/shop",
    "POSTGRES://shop:s3cret@127.0.0.1:1/shop",
    "postgres:shop:s3cret@127.0.0.1:1/shop",
    "postgres:/shop:s3cret@127.0.0.1:1/shop",
    "postgres//shop:s3cret@127.0.0.1:1/shop",
    "mysql://shop:s3cret@127.0.0.1:1/shop",
    "host=127.0.0.1 password=s3cret",
    "postgres://shop:pass@s3cret@127.0.0.1:1/shop",
    "postgres://shop%3As3cret@127.0.0.1:1/shop",
    "postgres://shop@127.0.0.1:1/shop?pass=s3cret",
    "postgres://127.0.0.1:1/shop&password=s3cret",
    " postgres://shop:s3cret@127.0.0.1:1/shop",
];

/// Runs the program with these words and this address in the environment, and returns whether it succeeded and
/// all that it says, its log included, once that is known to hold no secret.
async fn said(words: &[&str], in_environment: Option<&str>) -> (bool, String) {
    let data = TempDir::new().unwrap();
    let mut variables = vec![
        ("CONNECT_DATA", data.path().to_str().unwrap()),
        ("CONNECT_TESTS_LOG", "1"),
        ("RUST_LOG", "debug"),
    ];
    variables.extend(in_environment.map(|address| ("CONNECT_STORAGE", address)));
    let run = run_in(PROGRAM, words, &variables).await;
    let said = run.output + &run.said;
    assert!(
        !said.contains(SECRET),
        "{words:?} {in_environment:?}: {said}"
    );
    assert!(!said.is_empty(), "{words:?} {in_environment:?}");
    (run.code == Some(0), said)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_on_the_command_line_is_shown_without_its_password() {
    for address in ADDRESSES {
        let (done, said) = said(&["serve", "--storage", address], None).await;
        assert!(!done, "{address}: {said}");
    }
    // Of those that can be read, the settings are shown.
    let (done, said) = said(&["config", "--storage", ADDRESSES[0]], None).await;
    assert!(
        done && said.contains("postgres://shop:********@127.0.0.1:1/shop"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_in_the_environment_is_shown_without_its_password() {
    for address in ADDRESSES {
        let (done, said) = said(&["token", "list"], Some(address)).await;
        assert!(!done, "{address}: {said}");
    }
    let (done, said) = said(&["config"], Some(ADDRESSES[0])).await;
    assert!(done && said.contains("CONNECT_STORAGE"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_in_the_wrong_place_is_not_repeated() {
    let address = ADDRESSES[0];
    for words in [
        &[address][..],
        &["serve", address],
        &["serve", "--storage", "host=127.0.0.1", "password=s3cret"],
        &["serve", "--listen", address],
        &["serve", "--storage", "redb:/nowhere/store", address],
        &["serve", "--storag", address],
        &["token", address],
        &["check", address],
        &["restore", "--smtps://mail:s3cret@mail.example"],
    ] {
        let (done, said) = said(words, None).await;
        assert!(!done, "{words:?}: {said}");
    }
    for flag in [
        "--trusted-proxy",
        "--allow-networks",
        "--cache",
        "--listen",
        "--public-url",
        "--admin-url",
        "--mail-from",
    ] {
        for given in [
            "mail:s3cret@mail.example",
            "smtps://mail:s3cret",
            "smtps://mail:12/s3cret",
            "10.0.0.7,smtps://mail:s3cret@mail.example",
        ] {
            let (done, said) = said(&["serve", flag, given], None).await;
            let names = said.contains(flag) && said.contains("'********'");
            assert!(!done && names, "{flag} {given}: {said}");
        }
    }
}

/// What was wrong is still said.
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_what_to_write() {
    for (address, word) in [
        (
            "postgres://shop:s3cret@127.0.0.1:port/",
            "a number as its port",
        ),
        ("postgres://shop:pass@s3cret@127.0.0.1/shop", "%40 for @"),
        ("mysql://shop:s3cret@127.0.0.1/shop", "--storage must be"),
        (
            "postgres://shop@127.0.0.1/shop?pass=s3cret",
            "known are sslmode",
        ),
        (
            "postgres://shop:s3cret@db.invalid:1/shop",
            "does not ask for TLS",
        ),
    ] {
        let (done, said) = said(&["serve"], Some(address)).await;
        assert!(!done && said.contains(word), "{address}: {said}");
    }
    let on_the_command_line = ["token", "list", "--storage", ADDRESSES[0]];
    let (_, said) = said(&on_the_command_line, None).await;
    assert!(said.contains("set CONNECT_STORAGE instead"), "{said}");
}
