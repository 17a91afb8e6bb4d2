//! A file that is not as it was written gives an error, and never a store.

use std::fs;

use connect_core::{
    storage::{Entry, RowsVersion},
    transfer::TransferError,
};
use sha2::{Digest as _, Sha256};

use super::{Engine, export, export_anew, exported, import, many, row, store, with_rows};
use crate::faulty::rows;

/// The head of an export of the first version.
const SHORT_HEAD: &[u8] = b"connect store\x00\r\n\x00\x00\x00\x01";

/// That of this one, with these numbers behind it.
const HEAD: &[u8] = b"connect store\x00\r\n\x00\x00\x00\x02";

/// Makes a file as an export does, but of whatever a test wants.
struct Forger {
    bytes: Vec<u8>,
    chunks: u64,
    rows: u64,
    content: u64,
}

fn head(rows: RowsVersion) -> Vec<u8> {
    let numbers = [rows.written_by, rows.oldest_reader].map(u32::to_be_bytes);
    [HEAD, &numbers.concat()].concat()
}

/// The number of this program.
const THIS: u32 = RowsVersion::THIS.written_by;

impl Forger {
    fn new() -> Self {
        Self {
            bytes: head(RowsVersion::THIS),
            chunks: 0,
            rows: 0,
            content: 0,
        }
    }

    fn with_head(head: &[u8]) -> Self {
        Self {
            bytes: head.to_vec(),
            ..Self::new()
        }
    }

    fn chunk(mut self, rows: &[Entry]) -> Self {
        let mut bytes = Vec::new();
        for (key, value) in rows {
            bytes.extend((key.len() as u16).to_be_bytes());
            bytes.extend((value.len() as u32).to_be_bytes());
            bytes.extend(&key[..]);
            bytes.extend(&value[..]);
            self.content += (key.len() + value.len()) as u64;
        }
        self.rows += rows.len() as u64;
        let number = self.chunks;
        self.raw(number, rows.len() as u32, bytes.len() as u32, &bytes)
    }

    /// A chunk with these numbers and these bytes.
    fn raw(mut self, number: u64, rows: u32, length: u32, bytes: &[u8]) -> Self {
        self.bytes.push(1);
        self.bytes.extend(number.to_be_bytes());
        self.bytes.extend(rows.to_be_bytes());
        self.bytes.extend(length.to_be_bytes());
        self.bytes.extend(bytes);
        self.chunks += 1;
        self.digest()
    }

    fn digest(mut self) -> Self {
        let digest = Sha256::digest(&self.bytes);
        self.bytes.extend(digest);
        self
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(2);
        for number in [self.chunks, self.rows, self.content] {
            self.bytes.extend(number.to_be_bytes());
        }
        let mut bytes = self.digest().bytes;
        bytes.extend(b"\r\n\x00connect ends\n");
        bytes
    }
}

/// The reason why a file with these bytes is not imported; nothing of it is in the store.
async fn refusal(bytes: &[u8]) -> TransferError {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, bytes).unwrap();
    let (target, _folder) = store(Engine::Memory).await;
    let refused = import(&*target, &file).await.unwrap_err();
    assert_eq!(rows(&*target).await, []);
    refused
}

fn few() -> Vec<Entry> {
    vec![
        row("", "empty"),
        row("a", ""),
        row("b", [0, 1, 2]),
        row("c\0", "last"),
    ]
}

#[tokio::test]
async fn an_export_is_what_the_description_of_the_form_says() {
    let (_, bytes, _folder) = exported(&few()).await;
    assert_eq!(bytes, Forger::new().chunk(&few()).end());
    let (_, bytes, _folder) = exported(&many(2500)).await;
    let rows = many(2500);
    let (first, second) = rows.split_at(2000);
    assert!(bytes == Forger::new().chunk(first).chunk(second).end());
}

#[tokio::test]
async fn a_flipped_bit_in_any_byte_is_an_error() {
    let good = Forger::new().chunk(&few()[..2]).chunk(&few()[2..]).end();
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            let refused = refusal(&bytes).await;
            let expected = match at {
                0..16 => matches!(refused, TransferError::NotAnExport(_)),
                16..20 => matches!(refused, TransferError::Version { .. }),
                // Of a number that is no larger, the checksum tells.
                24..28 if bytes[24..28] > THIS.to_be_bytes()[..] => {
                    matches!(refused, TransferError::NewerRows { .. })
                }
                _ => matches!(
                    refused,
                    TransferError::Damaged(_) | TransferError::Unfinished { .. }
                ),
            };
            assert!(expected, "byte {at}: {refused}");
        }
    }
}

/// A finished file that was damaged is never cut by an export that is to go on with it.
#[tokio::test]
async fn a_damaged_file_is_not_gone_on_with() {
    let good = Forger::new().chunk(&few()).end();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let source = with_rows(&few()).await;
    // Without the mark at the end it is a file that was not finished.
    for at in 0..good.len() - 16 {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        fs::write(&file, &bytes).unwrap();
        export(&*source, &file).await.unwrap_err();
        assert_eq!(fs::read(&file).unwrap(), bytes, "{at}");
    }
    export_anew(&*source, &file).await.unwrap();
    assert_eq!(fs::read(&file).unwrap(), good);
}

#[tokio::test]
async fn a_file_that_is_cut_at_any_byte_is_an_error() {
    let good = Forger::new().chunk(&few()[..2]).chunk(&few()[2..]).end();
    for length in 0..good.len() {
        let refused = refusal(&good[..length]).await;
        let is_cut = matches!(refused, TransferError::Unfinished { .. });
        assert!(is_cut, "{length}: {refused}");
        assert!(refused.to_string().contains(&format!("byte {length}:")));
    }
}

#[tokio::test]
async fn what_follows_the_end_is_an_error() {
    let good = Forger::new().chunk(&few()).end();
    for more in [&b"\0"[..], b"\x02", &good, &good[28..]] {
        let refused = refusal(&[&good[..], more].concat()).await.to_string();
        assert!(refused.contains("something follows the end"), "{refused}");
    }
}

#[tokio::test]
async fn chunks_are_taken_in_their_order_and_once() {
    let rows = many(6);
    let chunk = |from: usize, to: usize| &rows[from..to];
    let one = Forger::new().chunk(chunk(0, 2));
    let two = Forger::new().chunk(chunk(0, 2)).chunk(chunk(2, 4));
    let whole = Forger::new()
        .chunk(chunk(0, 2))
        .chunk(chunk(2, 4))
        .chunk(chunk(4, 6));
    let (one, two, three) = (one.bytes.len(), two.bytes.len(), whole.bytes.len());
    let whole = whole.end();
    let parts = [
        &whole[..one],
        &whole[one..two],
        &whole[two..three],
        &whole[three..],
    ];
    for (order, what) in [
        (&[0, 2, 1, 3][..], "chunk 3 is where chunk 2 has to be"),
        (&[0, 1, 1, 2, 3], "chunk 2 is where chunk 3 has to be"),
        (&[0, 2, 3], "chunk 3 is where chunk 2 has to be"),
        (&[0, 1, 3], "checksum of the file does not hold"),
    ] {
        let bytes: Vec<&[u8]> = order.iter().map(|part| parts[*part]).collect();
        let refused = refusal(&bytes.concat()).await.to_string();
        assert!(refused.contains(what), "{refused}");
    }
    // As good as a chunk of another file can get.
    let renumbered = Forger::new().chunk(chunk(0, 2)).raw(7, 0, 0, b"").end();
    let refused = refusal(&renumbered).await.to_string();
    assert!(
        refused.contains("chunk 8 is where chunk 2 has to be"),
        "{refused}"
    );
}

#[tokio::test]
async fn keys_ascend_over_all_chunks() {
    let [a, b] = [row("a", "1"), row("b", "2")];
    for forged in [
        Forger::new().chunk(&[b.clone(), a.clone()]),
        Forger::new().chunk(&[a.clone(), a.clone()]),
        Forger::new()
            .chunk(std::slice::from_ref(&b))
            .chunk(std::slice::from_ref(&a)),
        Forger::new()
            .chunk(std::slice::from_ref(&b))
            .chunk(std::slice::from_ref(&b)),
    ] {
        let refused = refusal(&forged.end()).await.to_string();
        assert!(refused.contains("do not ascend"), "{refused}");
    }
}

#[tokio::test]
async fn absurd_numbers_are_refused_before_any_memory_is_taken() {
    let row_of = |key: u16, value: u32| [&key.to_be_bytes()[..], &value.to_be_bytes()].concat();
    for (forged, what) in [
        (
            Forger::new().raw(0, u32::MAX, u32::MAX, b""),
            "not written by any export",
        ),
        (
            Forger::new().raw(0, 1, u32::MAX, b""),
            "not written by any export",
        ),
        (
            Forger::new().raw(0, 2, 2_000_000, b""),
            "not written by any export",
        ),
        (
            Forger::new().raw(0, 2001, 20_000, b""),
            "not written by any export",
        ),
        (Forger::new().raw(0, 0, 0, b""), "not written by any export"),
        (
            Forger::new().raw(0, 3, 17, &[0; 17]),
            "not written by any export",
        ),
        (
            Forger::new().raw(0, 1, 17_000_000, b""),
            "not written by any export",
        ),
        (Forger::new().raw(0, 1, 6, &row_of(0, 1)), "beyond the end"),
        (Forger::new().raw(0, 1, 6, &row_of(9, 0)), "beyond the end"),
        (
            Forger::new().raw(0, 1, 6, &row_of(2049, 0)),
            "longer than a row can be",
        ),
        (
            Forger::new().raw(0, 1, 6, &row_of(0, u32::MAX)),
            "longer than a row can be",
        ),
        (
            Forger::new().raw(0, 1, 7, &[0; 7]),
            "bytes follow its last row",
        ),
    ] {
        let refused = refusal(&forged.end()).await;
        assert!(refused.to_string().contains(what), "{refused}");
    }
    // Announced, but not there.
    let refused = refusal(&Forger::new().raw(0, 1, 16_000_000, b"").bytes).await;
    assert!(
        matches!(refused, TransferError::Unfinished { .. }),
        "{refused}"
    );
}

#[tokio::test]
async fn the_counts_at_the_end_are_held_against_the_rows() {
    for wrong in 0..3 {
        let mut forged = Forger::new().chunk(&few());
        match wrong {
            0 => forged.chunks += 1,
            1 => forged.rows -= 1,
            _ => forged.content += 1,
        }
        let refused = refusal(&forged.end()).await.to_string();
        assert!(refused.contains("not as many rows as it says"), "{refused}");
    }
}

/// The mark of an import in a file would leave a store that is never finished.
#[tokio::test]
async fn the_mark_of_an_import_comes_from_no_file() {
    let mark = row([&[0; 16][..], &[4]].concat(), "{}");
    let refused = refusal(&Forger::new().chunk(&[mark]).end())
        .await
        .to_string();
    assert!(refused.contains("the mark of an import"), "{refused}");
}

/// Exports of programs that knew of no numbers.
#[tokio::test]
async fn a_file_without_numbers_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.export");
    let whole = Forger::with_head(SHORT_HEAD).chunk(&few()).end();
    fs::write(&file, &whole).unwrap();
    for engine in [Engine::Memory, Engine::Redb] {
        let (target, _folder) = store(engine).await;
        import(&*target, &file).await.unwrap();
        assert_eq!(rows(&*target).await, few());
        // One that was interrupted is finished as it was begun.
        fs::write(&file, &whole[..whole.len() - 100]).unwrap();
        export(&*target, &file).await.unwrap();
        assert!(fs::read(&file).unwrap() == whole);
    }
}

#[tokio::test]
async fn a_file_of_a_newer_program_is_refused() {
    let next = RowsVersion::THIS.written_by + 1;
    for (oldest_reader, is_refused) in [(next, true), (next - 1, false)] {
        let newer = RowsVersion {
            written_by: next,
            oldest_reader,
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.export");
        fs::write(&file, Forger::with_head(&head(newer)).chunk(&few()).end()).unwrap();
        let (target, _folder) = store(Engine::Memory).await;
        match import(&*target, &file).await {
            Err(TransferError::NewerRows { source, .. }) => assert_eq!(source.found, newer),
            taken => assert!(!is_refused, "{taken:?}"),
        }
        assert_eq!(rows(&*target).await.is_empty(), is_refused);
    }
}
