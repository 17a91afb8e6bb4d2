//! The bytes of chunks and of a file's end, with their digests.

use sha2::Digest as _;

use super::{
    format::{END, END_LEN, END_MARK, Filling},
    progress::Transferred,
    reader::Sofar,
};

/// Encodes the next chunk.
/// `last` is the key of its last row. Returns the chunk, and the totals including it.
pub(super) fn chunk(sofar: &Sofar, filled: &Filling, last: &[u8]) -> (Vec<u8>, Sofar) {
    let mut chunk = filled.chunk(sofar.chunks);
    let mut hash = sofar.hash.clone();
    hash.update(&chunk);
    let digest = hash.clone().finalize();
    hash.update(digest);
    chunk.extend_from_slice(&digest);
    let then = Sofar {
        hash,
        at: sofar.at + chunk.len() as u64,
        chunks: sofar.chunks + 1,
        rows: sofar.rows + filled.rows(),
        bytes: sofar.bytes + filled.content(),
        last: Some(last.into()),
    };
    (chunk, then)
}

/// Encodes the end of the file.
pub(super) fn end(sofar: &Sofar) -> (Vec<u8>, Transferred) {
    let mut end = Vec::with_capacity(END_LEN);
    end.push(END);
    for count in [sofar.chunks, sofar.rows, sofar.bytes] {
        end.extend_from_slice(&count.to_be_bytes());
    }
    let digest = sofar.hash.clone().chain_update(&end).finalize();
    end.extend_from_slice(&digest);
    end.extend_from_slice(END_MARK);
    let written = Transferred {
        rows: sofar.rows,
        bytes: sofar.bytes,
        checksum: hex::encode(digest),
    };
    (end, written)
}
