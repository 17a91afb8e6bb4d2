//! The program: `connect-server check` and `connect-server repair`.

use std::{fs, process::Output, time::Duration};

use connect_core::storage::{
    Commit, Range, Read, RowsVersion, Storage, Write,
    redb::{RedbOptions, RedbStorage},
    sled::{SledOptions, SledStorage},
};
use connect_tests::{http::Request, process::Process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// The bytes of the families whose entries are removed.
const PRODUCT_BY_EXTERNAL_ID: u8 = 0x33;
const PRODUCT_BY_OPTION_GROUP: u8 = 0x36;
const EVENT: u8 = 0x50;

async fn check(storage: &str, more: &[&str]) -> (Option<i32>, String, String) {
    run("check", storage, more).await
}

async fn repair(storage: &str, more: &[&str]) -> (Option<i32>, String, String) {
    run("repair", storage, more).await
}

async fn run(command: &str, storage: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let run = Command::new(PROGRAM)
        .args([command, "--storage", storage])
        .args(more)
        .output()
        .await;
    let Output {
        status,
        stdout,
        stderr,
    } = run.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// A demo's store whose server has ended.
async fn demo_store(engine: &str) -> (TempDir, String) {
    let data = tempfile::tempdir().unwrap();
    let storage = format!("{engine}:{}", data.path().join("store").display());
    let server = Process::start_on(PROGRAM, &storage, &[]).await.unwrap();
    assert_eq!(server.stop().await, Some(0));
    (data, storage)
}

fn open(storage: &str) -> Box<dyn Storage> {
    let (engine, path) = storage.split_once(':').unwrap();
    match engine {
        "redb" => Box::new(RedbStorage::open(path, RedbOptions::default()).unwrap()),
        _ => Box::new(SledStorage::open(path, SledOptions::default()).unwrap()),
    }
}

/// Removes the first entry of a family; its key in hexadecimal digits.
async fn damage(storage: &str, family: u8) -> String {
    let storage = open(storage);
    let all = Read::Scan {
        range: Range {
            from: b"",
            to: None,
        },
        limit: usize::MAX,
        newest_first: false,
    };
    let rows = storage.read(&[all]).await.unwrap().entries().unwrap();
    let mut keys = rows.into_iter().map(|(key, _)| key);
    let key = keys.find(|key| key[16] == family).unwrap();
    let shown = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let commit = Commit {
        writes: vec![(key, Write::Remove)],
        ..Commit::default()
    };
    storage.commit(commit).await.unwrap();
    shown
}

#[tokio::test]
async fn a_good_store_is_found_good() {
    for engine in ["redb", "sled"] {
        let (_data, storage) = demo_store(engine).await;
        let (code, output, errors) = check(&storage, &[]).await;
        assert_eq!(code, Some(0), "{engine}: {output} {errors}");
        assert!(output.contains("No problems."), "{output}");
        assert!(output.contains(" Product\n"), "{output}");
        let (code, output, _) = check(&storage, &["--json"]).await;
        let report: Value = serde_json::from_str(&output).unwrap();
        assert_eq!((code, &report["clean"]), (Some(0), &Value::Bool(true)));
        assert_eq!(report["store"]["rows"], report["records"]["rows"]);
        assert_eq!(report["records"]["families"]["Account"], 1);
        assert_eq!(report["records"]["problemCount"], 0);
    }
}

#[tokio::test]
async fn what_is_wrong_is_named_with_what_to_do() {
    for engine in ["redb", "sled"] {
        let (_data, storage) = demo_store(engine).await;
        let key = damage(&storage, PRODUCT_BY_EXTERNAL_ID).await;
        let (code, output, _) = check(&storage, &[]).await;
        assert_eq!(code, Some(1), "{output}");
        for told in [
            &key[..],
            "\n1 problem in records:\n",
            "missingEntry",
            "is not in the index",
            "Restore",
        ] {
            assert!(output.contains(told), "{told} is not in {output}");
        }
        let (code, output, _) = check(&storage, &["--json"]).await;
        let report: Value = serde_json::from_str(&output).unwrap();
        assert_eq!((code, &report["clean"]), (Some(1), &Value::Bool(false)));
        let problem = &report["records"]["problems"][0];
        assert_eq!(problem["kind"], "missingEntry");
        assert_eq!(problem["key"], key);
        assert_eq!(report["records"]["problemCount"], 1);
    }
}

#[tokio::test]
async fn what_can_be_repaired_is_told_line_by_line() {
    for engine in ["redb", "sled"] {
        let (_data, storage) = demo_store(engine).await;
        damage(&storage, PRODUCT_BY_EXTERNAL_ID).await;
        damage(&storage, EVENT).await;
        let (code, output, errors) = repair(&storage, &["--json"]).await;
        assert_eq!(code, Some(0), "{output} {errors}");
        let report: Value = serde_json::from_str(&output).unwrap();
        assert_eq!(report["repairs"]["count"], 1, "{report}");
        let line = report["repairs"]["lines"][0].as_str().unwrap();
        assert!(line.starts_with("ProductByExternalId: product "), "{line}");
        assert!(line.ends_with(" is not in the index: written"), "{line}");
        assert_eq!(check(&storage, &[]).await.0, Some(0));
        let (code, output, _) = repair(&storage, &[]).await;
        assert_eq!(code, Some(0));
        assert!(output.starts_with("Repairs: 0\n"), "{output}");
        assert!(output.ends_with("No problems.\n"), "{output}");
    }
}

/// Without a copy, the operator accepts the loss, and repairs what is left.
#[tokio::test]
async fn a_shop_without_a_copy_is_served_again() {
    let (data, storage) = demo_store("redb").await;
    let folder = data.path().join("store");
    let file = folder.join("store.redb");
    let mut bytes = fs::read(&file).unwrap();
    // A page of products that is in use: all copies of it.
    let word = br#""priceCents":"#;
    // The trail has prices too.
    let has = |page: &[u8], word: &[u8]| page.windows(word.len()).any(|bytes| bytes == word);
    let has_products = |page: &[u8]| has(page, word) && !has(page, br#""action":""#);
    for page in bytes.chunks_mut(4096).skip(1) {
        if has_products(page) {
            page.fill(0);
        }
    }
    fs::write(&file, bytes).unwrap();
    let (code, output, _) = repair(&storage, &[]).await;
    assert_eq!(code, Some(1), "{output}");
    assert!(
        output.contains("create an empty file connect.accept-loss"),
        "{output}"
    );
    fs::write(folder.join("connect.accept-loss"), "").unwrap();
    let (code, output, errors) = repair(&storage, &[]).await;
    assert!(matches!(code, Some(0 | 1)), "{output} {errors}");
    assert!(
        output.contains(": deleted the rest of the record\n"),
        "{output}"
    );
    assert!(
        output
            .lines()
            .take_while(|line| !line.contains(" rows"))
            .count()
            <= 102
    );
    let server = Process::start_on(PROGRAM, &storage, &[]).await.unwrap();
    let token = server.token();
    for list in [
        "products",
        "categories",
        "stock",
        "option-groups",
        "transactions",
        "events",
    ] {
        let list = Request::get(server.at(&format!("{list}?limit=200")));
        server.send(&token, list).await.expect(200);
    }
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test]
async fn groups_and_their_products_are_checked() {
    let data = tempfile::tempdir().unwrap();
    let storage = format!("redb:{}", data.path().join("store").display());
    let server = Process::start_on(PROGRAM, &storage, &[]).await.unwrap();
    let token = server.token();
    let post = async |path: &str, body: Value| {
        let request = Request::post(server.at(path), &body);
        server.send(&token, request).await
    };
    let products = Request::get(server.at("products?limit=3"));
    let products = server.send(&token, products).await.expect(200).list();
    let ids: Vec<&Value> = products.iter().map(|product| &product["id"]).collect();
    let sauces = json!({
        "name": "Sauces", "externalId": "CHECKED", "options": [{ "name": "Ketchup" }],
    });
    let group = post("option-groups", sauces).await.expect(201);
    let links = json!({ "productIds": ids, "add": [{ "id": group.id() }] });
    let linked = post("products/option-groups", links).await.expect(200);
    assert_eq!(linked.data()["affected"], 3);
    assert_eq!(server.stop().await, Some(0));

    let (code, output, _) = check(&storage, &["--json"]).await;
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(code, Some(0), "{output}");
    assert_eq!(report["records"]["families"]["ProductByOptionGroup"], 3);
    let key = damage(&storage, PRODUCT_BY_OPTION_GROUP).await;
    let (code, output, _) = check(&storage, &["--json"]).await;
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(
        (code, &report["records"]["problemCount"]),
        (Some(1), &json!(1))
    );
    assert_eq!(report["records"]["problems"][0]["key"], key);
}

/// redb returns pages as they are; the checksums of the rows tell.
#[tokio::test]
async fn flipped_bits_are_found_and_the_records_are_named() {
    let (data, storage) = demo_store("redb").await;
    let file = data.path().join("store").join("store.redb");
    let mut bytes = std::fs::read(&file).unwrap();
    // In every product, as some copies of a page are no longer in use.
    let word = br#""priceCents":"#;
    let found: Vec<usize> = (0..bytes.len() - word.len())
        .filter(|at| bytes[*at..].starts_with(word))
        .collect();
    for at in found {
        bytes[at] ^= 1;
    }
    std::fs::write(&file, bytes).unwrap();
    let (code, output, errors) = check(&storage, &["--json"]).await;
    assert_eq!(code, Some(1), "{output} {errors}");
    let report: Value = serde_json::from_str(&output).unwrap();
    let problems = report["records"]["problems"].as_array().unwrap();
    // The trail has prices too.
    let of_products = problems.iter().filter(|problem| {
        let key = problem["key"].as_str().unwrap();
        &key[32..34] == "30"
    });
    let families = &report["records"]["families"];
    assert_eq!(families["Product"], of_products.count(), "{report}");
    for problem in problems {
        assert_eq!(problem["kind"], "unreadable", "{problem}");
        assert!(problem["location"].is_string(), "{problem}");
    }
    let (code, output, _) = check(&storage, &[]).await;
    assert_eq!(code, Some(1));
    assert!(
        output.contains(problems[0]["key"].as_str().unwrap()),
        "{output}"
    );
}

/// Writes a row of a family that no program of today has.
async fn write_newer(storage: &str) {
    let key = [&[7; 16][..], &[0x7F], b"?"].concat();
    let commit = Commit {
        writes: vec![(key.into(), Write::Put(b"{}"[..].into()))],
        ..Commit::default()
    };
    open(storage).commit(commit).await.unwrap();
}

#[tokio::test]
async fn a_kind_of_row_of_a_newer_program_is_no_damage() {
    for engine in ["redb", "sled"] {
        let (_data, storage) = demo_store(engine).await;
        write_newer(&storage).await;
        let (code, output, errors) = check(&storage, &[]).await;
        assert_eq!(code, Some(2), "{output} {errors}");
        for told in [
            "1 of a kind of row of a newer program (0x7F)",
            "check the store with",
        ] {
            assert!(output.contains(told), "{told} is not in {output}");
        }
        assert!(!output.contains("Restore the whole"), "{output}");
        let (code, output, _) = check(&storage, &["--json"]).await;
        let report: Value = serde_json::from_str(&output).unwrap();
        assert_eq!((code, &report["clean"]), (Some(2), &Value::Bool(false)));
        assert_eq!(report["records"]["newerKinds"], json!({ "0x7F": 1 }));
        assert_eq!(report["records"]["problemCount"], 0);
    }
}

/// An older program, as this one is to a store of a later one, neither serves nor checks it.
#[tokio::test]
async fn a_store_of_a_newer_program_is_refused() {
    let (data, storage) = demo_store("redb").await;
    let path = data.path().join("store/connect.store");
    let mut marker: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let number = RowsVersion::THIS.written_by + 1;
    marker["written_by"] = json!(number);
    marker["oldest_reader"] = json!(number);
    // A program without the field.
    marker.as_object_mut().unwrap().remove("checksum");
    fs::write(&path, marker.to_string()).unwrap();
    let (code, _, said) = check(&storage, &[]).await;
    assert_eq!(code, Some(2), "{said}");
    let served = Process::start_on(PROGRAM, &storage, &[]).await;
    let Err(served) = served else {
        panic!("it is served")
    };
    assert_eq!(served.code, Some(1));
    for said in [said, served.said] {
        for told in [
            "kinds of rows that this one does not know",
            "use that program",
        ] {
            assert!(said.contains(told), "{said}");
        }
    }
    let kept: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(kept, marker);
}

#[tokio::test]
async fn the_version_names_the_commit_and_that_of_rows() {
    let run = Command::new(PROGRAM).arg("--version").output().await;
    let said = String::from_utf8(run.unwrap().stdout).unwrap();
    let rows = format!("rows of version {})\n", RowsVersion::THIS.written_by);
    assert!(said.ends_with(&rows), "{said}");
    let (_, source) = said.split_once(" (").unwrap();
    let (source, _) = source.split_once(", ").unwrap();
    let is_commit = source.len() == 12 && source.bytes().all(|byte| byte.is_ascii_hexdigit());
    let others = ["development build", "unknown commit"];
    assert!(is_commit || others.contains(&source), "{said}");
}

/// redb panics over a page of zeros, and would be asked again and again; pages in each other's place may lead to each
/// other.
#[tokio::test]
async fn a_check_of_a_damaged_file_ends_with_a_short_report() {
    let (data, storage) = demo_store("redb").await;
    let file = data.path().join("store").join("store.redb");
    let whole = std::fs::read(&file).unwrap();
    // Pages begin with their kind: entries, or the way to others. The rows of the demo are on most of the former.
    let page = |page: usize| page * 4096..(page + 1) * 4096;
    let word = br#""priceCents":"#;
    let is_used = |bytes: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    let count = whole.len() / 4096;
    let used: Vec<_> = (1..count).filter(|at| is_used(&whole[page(*at)])).collect();
    let leading: Vec<_> = (1..count).filter(|at| whole[at * 4096] == 2).collect();
    let zeros = |pages: &mut dyn Iterator<Item = usize>| {
        let mut bytes = whole.clone();
        pages.for_each(|at| bytes[page(at)].fill(0));
        bytes
    };
    let swapped = |(one, other): (&usize, &usize)| {
        let mut bytes = whole.clone();
        bytes[page(*one)].copy_from_slice(&whole[page(*other)]);
        bytes[page(*other)].copy_from_slice(&whole[page(*one)]);
        bytes
    };
    let used_pages = used.iter().take(6);
    let mut copies: Vec<_> = used_pages.map(|at| zeros(&mut [*at].into_iter())).collect();
    // Among many there are some that lead to others.
    copies.push(zeros(&mut (20..count).step_by(6)));
    copies.push(zeros(&mut (1..count).step_by(2)));
    copies.extend(leading.iter().zip(&used).take(4).map(swapped));
    copies.extend(
        leading
            .iter()
            .zip(leading.iter().skip(1))
            .take(4)
            .map(swapped),
    );
    // An earlier list of the files says how long this one was.
    copies.push(whole[..whole.len() / 2].to_vec());
    let mut found = 0;
    for bytes in copies {
        std::fs::write(&file, bytes).unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(60), check(&storage, &[])).await;
        let (code, output, errors) = ended.expect("a check without end");
        assert!(output.lines().count() <= 100, "{output}");
        assert!(errors.lines().count() <= 100, "{errors}");
        // That is advice for clients of the API.
        assert!(!errors.contains("Idempotency-Key"), "{errors}");
        match code {
            // A page that is no longer in use.
            Some(0) => {}
            Some(1) => assert!(output.lines().count() > 0, "{errors}"),
            // A store that cannot be opened is told on standard error.
            Some(2) => assert!(!errors.is_empty(), "{output}"),
            code => panic!("{code:?}: {output} {errors}"),
        }
        found += u32::from(code != Some(0));
    }
    assert!(found > 4, "{found} found");
}
