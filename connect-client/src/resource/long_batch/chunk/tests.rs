//! The places of the cuts.

use proptest::prelude::*;

use super::*;
use crate::wire::{Field, ProductBatch, ProductInput};

fn cut_all(items: &[ProductInput], limits: Limits) -> Vec<Piece> {
    let settings = ProductBatch::new(Vec::new());
    let mut cutter = Cutter::new(items.iter(), limits);
    std::iter::from_fn(|| cutter.cut(&settings).unwrap()).collect()
}

fn body(items: &[ProductInput]) -> Vec<u8> {
    serde_json::to_vec(&ProductBatch::new(items.to_vec())).unwrap()
}

fn named(name: &str) -> ProductInput {
    ProductInput::named(name)
}

#[test]
fn bodies_are_filled_to_the_last_byte() {
    let menu = [named("a"), named("€"), named("€"), named("z")];
    let exactly_two = body(&menu[..2]).len();
    let cuts = |bytes| -> Vec<Range<usize>> {
        let pieces = cut_all(&menu, Limits { items: 9, bytes });
        let items = |piece| match piece {
            Piece::Body { items, json } => {
                assert!(json.len() <= bytes);
                items
            }
            Piece::TooLarge { index, .. } => panic!("{index}"),
        };
        pieces.into_iter().map(items).collect()
    };
    assert_eq!(cuts(exactly_two), [0..2, 2..4]);
    assert_eq!(cuts(exactly_two - 1), [0..1, 1..2, 2..3, 3..4]);
    assert_eq!(cuts(body(&menu).len()), vec![0..4]);
    assert_eq!(cuts(body(&menu).len() - 1), [0..3, 3..4]);
}

#[test]
fn an_item_exactly_as_large_as_a_request_is_sent_and_one_byte_more_is_not() {
    let menu = [named("x"), named("ü€😀"), named("z")];
    let largest = body(&menu[1..2]).len();
    let limits = Limits {
        items: 9,
        bytes: largest,
    };
    let ranges = [0..1, 1..2, 2..3];
    let expected = ranges.map(|items| Piece::Body {
        json: body(&menu[items.clone()]).into(),
        items,
    });
    assert_eq!(cut_all(&menu, limits), expected);

    let bytes = largest - 1;
    let mut expected = expected;
    expected[1] = Piece::TooLarge {
        index: 1,
        external_id: None,
        bytes: serde_json::to_vec(&menu[1]).unwrap().len(),
    };
    assert_eq!(cut_all(&menu, Limits { items: 9, bytes }), expected);
}

#[test]
fn nothing_is_cut_from_nothing() {
    assert_eq!(cut_all(&[], Limits { items: 1, bytes: 0 }), []);
}

fn item() -> impl Strategy<Value = ProductInput> {
    let name = prop_oneof![".{0,12}", "[a€😀\"\\\\\n]{0,40}"];
    let external_id = prop_oneof![
        Just(Field::Absent),
        Just(Field::Null),
        "[a-z]{0,9}".prop_map(Field::Value),
    ];
    (name, external_id).prop_map(|(name, external_id)| ProductInput {
        external_id,
        ..ProductInput::named(name)
    })
}

proptest! {
    #[test]
    fn the_pieces_are_the_whole(
        menu in proptest::collection::vec(item(), 0..40),
        most in 1_usize..7,
        bytes in 50_usize..300,
    ) {
        let limits = Limits { items: most, bytes };
        let pieces = cut_all(&menu, limits);
        let mut next = 0;
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Body { items, json } => {
                    prop_assert_eq!(items.start, next);
                    prop_assert!((1..=most).contains(&items.len()));
                    prop_assert!(json.len() <= bytes);
                    prop_assert_eq!(&json[..], &body(&menu[items.clone()])[..]);
                    let one_more = items.start..(items.end + 1);
                    if let Some(Piece::Body { .. }) = pieces.get(at + 1) {
                        let full = items.len() == most
                            || body(&menu[one_more]).len() > bytes;
                        prop_assert!(full, "a body had room for one more");
                    }
                    next = items.end;
                }
                Piece::TooLarge { index, external_id, bytes: size } => {
                    prop_assert_eq!(*index, next);
                    prop_assert!(body(&menu[next..=next]).len() > bytes);
                    prop_assert_eq!(*size, serde_json::to_vec(&menu[next]).unwrap().len());
                    prop_assert_eq!(external_id.as_ref(), menu[next].external_id.value());
                    next += 1;
                }
            }
        }
        prop_assert_eq!(next, menu.len());
    }
}
