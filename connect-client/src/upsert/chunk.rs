//! Cutting a sequence of products into bodies that the service takes.

use std::{borrow::Borrow, ops::Range};

use bytes::Bytes;

use crate::{
    error::RequestError,
    wire::{ProductBatch, ProductInput},
};

/// How large one request may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) items: usize,
    /// Of the whole body.
    pub(super) bytes: usize,
}

/// A part of the sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The JSON of a batch with these items.
    Body { items: Range<usize>, json: Bytes },
    /// An item that no request can hold.
    TooLarge {
        index: usize,
        external_id: Option<String>,
        /// The length of its JSON.
        bytes: usize,
    },
}

/// Cuts lazily: each item is taken and written once, and at most one item is held besides the
/// body that is being filled. Every body is as long as the limits allow, unless a too large item
/// or the end comes after it.
pub(super) struct Cutter<I> {
    items: I,
    limits: Limits,
    /// How many items are in pieces already.
    position: usize,
    /// The JSON of an item that no longer fitted into the body before; else empty.
    left_over: Vec<u8>,
    /// The too large item that ended the body before.
    refused: Option<Piece>,
}

/// What stands after the items.
const END: &[u8] = b"]}";

impl<I> Cutter<I> {
    pub(super) fn new(items: I, limits: Limits) -> Self {
        Self {
            items,
            limits,
            position: 0,
            left_over: Vec::new(),
            refused: None,
        }
    }

    /// The index of the first item that is in no piece yet.
    pub(super) fn position(&self) -> usize {
        self.position
    }
}

impl<I> Cutter<I>
where
    I: Iterator<Item: Borrow<ProductInput>>,
{
    /// The next piece, with the settings of a batch that has no items itself; `None` when all
    /// items are in one.
    pub(super) fn cut(&mut self, settings: &ProductBatch) -> Result<Option<Piece>, RequestError> {
        if let Some(refused) = self.refused.take() {
            self.position += 1;
            return Ok(Some(refused));
        }
        let mut json = serde_json::to_vec(settings).map_err(unwritable)?;
        json.truncate(json.len() - END.len());
        let head = json.len();
        let mut count = usize::from(!self.left_over.is_empty());
        json.append(&mut self.left_over);
        while count < self.limits.items {
            let Some(item) = self.items.next() else { break };
            let end_of_body = json.len();
            if count > 0 {
                json.push(b',');
            }
            let start = json.len();
            serde_json::to_writer(&mut json, item.borrow()).map_err(unwritable)?;
            if json.len() + END.len() <= self.limits.bytes {
                count += 1;
                continue;
            }
            let bytes = json.len() - start;
            if head + bytes + END.len() <= self.limits.bytes {
                self.left_over.extend_from_slice(&json[start..]);
            } else {
                self.refused = Some(Piece::TooLarge {
                    index: self.position + count,
                    external_id: item.borrow().external_id.value().cloned(),
                    bytes,
                });
            }
            json.truncate(end_of_body);
            break;
        }
        if count == 0 {
            // Nothing left, or a too large item that no body comes before.
            let refused = self.refused.take();
            self.position += usize::from(refused.is_some());
            return Ok(refused);
        }
        json.extend_from_slice(END);
        let items = self.position..self.position + count;
        self.position = items.end;
        let json = json.into();
        Ok(Some(Piece::Body { items, json }))
    }
}

fn unwritable(error: serde_json::Error) -> RequestError {
    RequestError(error.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::Field;

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
}
