//! A store as a file in pieces, for a backup during commits.

use sha2::Digest as _;

use super::{
    error::TransferError,
    format::{Filling, head},
    marker::marker_key,
    reader::Sofar,
    restored::restored_key,
    seal,
    walk::checked,
};
use crate::storage::{Entry, Key, StorageError};

/// The least bytes of a piece, except for the last one.
const PIECE_BYTES: usize = 4 * 1024 * 1024;

/// The pieces of an exported file, from a snapshot of the rows.
pub struct Pieces {
    next_page: Box<dyn FnMut() -> Result<Vec<Entry>, StorageError> + Send>,
    sofar: Sofar,
    filling: Filling,
    last: Option<Key>,
    has_ended: bool,
}

impl Pieces {
    /// Makes pieces from pages of rows, in the order of their keys.
    /// All pages come from one snapshot. An empty page marks the end.
    pub fn of(
        next_page: impl FnMut() -> Result<Vec<Entry>, StorageError> + Send + 'static,
    ) -> Self {
        Self {
            next_page: Box::new(next_page),
            sofar: Sofar::default(),
            filling: Filling::default(),
            last: None,
            has_ended: false,
        }
    }

    /// Makes the next piece, of about 4 MiB; `None` after the last one.
    /// Blocks the thread.
    ///
    /// # Errors
    /// The rows cannot be read. There are no more pieces then.
    pub fn next_piece(&mut self) -> Result<Option<Vec<u8>>, TransferError> {
        if self.has_ended {
            return Ok(None);
        }
        let mut piece = Vec::with_capacity(PIECE_BYTES + PIECE_BYTES / 2);
        if self.sofar.at == 0 {
            let head = head();
            self.sofar.hash.update(&head);
            self.sofar.at = head.len() as u64;
            piece.extend_from_slice(&head);
        }
        let marks = [marker_key(), restored_key()];
        while piece.len() < PIECE_BYTES {
            let page = (self.next_page)()?;
            if page.is_empty() {
                self.seal_into(&mut piece);
                piece.extend_from_slice(&seal::end(&self.sofar).0);
                self.has_ended = true;
                break;
            }
            for row in page {
                if marks.contains(&row.0) {
                    continue;
                }
                let row = checked(row)?;
                if self.filling.is_full_for(&row) {
                    self.seal_into(&mut piece);
                }
                self.filling.add(&row);
                self.last = Some(row.0);
            }
        }
        Ok(Some(piece))
    }

    /// Ends the current chunk, if it has a row.
    fn seal_into(&mut self, piece: &mut Vec<u8>) {
        let filled = std::mem::take(&mut self.filling);
        if let (1.., Some(last)) = (filled.rows(), &self.last) {
            let (chunk, sofar) = seal::chunk(&self.sofar, &filled, last);
            piece.extend_from_slice(&chunk);
            self.sofar = sofar;
        }
    }
}
