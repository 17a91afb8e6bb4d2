//! The stored copies, each named after the digest of its bytes.
//! The same image is stored once, and the content of a name never changes.

use std::{ffi::OsString, fmt, path::Path, str::FromStr, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use connect_core::{environment::ImageCopies, wire::Timestamp};
use object_store::{
    Error, ObjectStore, ObjectStoreExt as _, local::LocalFileSystem, memory::InMemory,
    path::Path as Key,
};
use sha2::{Digest as _, Sha256};

use super::{
    BucketAddress, CopyKind, ScaledCopy,
    bucket::{self, BucketFailure},
};

/// The stored copies. Clones share the same copies.
#[derive(Clone)]
pub struct Copies {
    store: Arc<dyn ObjectStore>,
    /// Set for a bucket: its failures are told otherwise.
    is_in_bucket: bool,
}

/// The folder or the bucket for the copies cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the {kind} for images, {place}, cannot be used: {problem}")]
pub struct CopiesError {
    kind: &'static str,
    place: String,
    problem: String,
}

/// The reason why a copy cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The store failed, perhaps for now only.
    #[error("{0}")]
    Store(String),
    /// The bytes differ from the stored ones.
    #[error(
        "the file is damaged: restore it from a copy, or remove it and set the image's link again"
    )]
    Damaged,
}

impl Copies {
    /// Opens copies in a folder, made if missing.
    /// Several processes may share it.
    ///
    /// # Errors
    /// The folder can neither be found nor made.
    pub fn in_folder(folder: &Path) -> Result<Self, CopiesError> {
        let failed = |problem: &dyn fmt::Display| CopiesError {
            kind: "folder",
            place: folder.display().to_string(),
            problem: problem.to_string(),
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let files = LocalFileSystem::new_with_prefix(folder).map_err(|error| failed(&error))?;
        // A link is given out only once its copy survives a loss of power.
        Ok(Self::on(files.with_fsync(true)))
    }

    /// Opens copies in a bucket by variables `AWS_*`.
    /// Several servers may share it. Without an answer from S3 it warns, and later requests try again.
    ///
    /// # Errors
    /// A setting is wrong or missing.
    pub async fn in_bucket(
        address: &BucketAddress,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, CopiesError> {
        let opened = bucket::open(address, variables).await;
        let (store, failure) = opened.map_err(|problem| CopiesError {
            kind: "bucket",
            place: address.to_string(),
            problem,
        })?;
        if let Some(failure) = failure {
            let warning = format!(
                "the bucket for images, {address}, cannot be used yet, so images are neither stored nor \
                 shown: {failure}"
            );
            tracing::warn!("{warning}");
        }
        Ok(Self {
            is_in_bucket: true,
            ..Self::on(store)
        })
    }

    /// Opens copies in memory, gone when the program ends.
    pub fn in_memory() -> Self {
        Self::on(InMemory::new())
    }

    /// Opens copies in any store.
    pub fn on(store: impl ObjectStore) -> Self {
        Self {
            store: Arc::new(store),
            is_in_bucket: false,
        }
    }

    /// Stores a copy, all of it or nothing, and returns its name.
    ///
    /// # Errors
    /// The store failed.
    pub async fn put(&self, copy: ScaledCopy) -> Result<CopyName, CopyError> {
        let name = CopyName {
            digest: hex::encode(Sha256::digest(&copy.bytes)),
            kind: copy.kind,
        };
        let key = name.key();
        let stored = self.ask(self.store.put(&key, copy.bytes.into()));
        stored
            .await
            .map_err(|failure| CopyError::Store(failure.reason))?;
        Ok(name)
    }

    /// Reads a copy; `None` if the name is unknown.
    ///
    /// # Errors
    /// The store failed, or the bytes differ from the stored ones.
    pub async fn get(&self, name: &CopyName) -> Result<Option<Bytes>, CopyError> {
        let key = name.key();
        let bytes = self.ask(async { self.store.get(&key).await?.bytes().await });
        let bytes = match bytes.await {
            Ok(bytes) => bytes,
            Err(failure) if failure.is_missing => return Ok(None),
            Err(failure) => return Err(CopyError::Store(failure.reason)),
        };
        if hex::encode(Sha256::digest(&bytes)) != name.digest {
            return Err(CopyError::Damaged);
        }
        Ok(Some(bytes))
    }

    /// Removes a copy, unless it was stored again after `unused_since`.
    /// Returns `true` if it is missing then.
    ///
    /// # Errors
    /// The store failed.
    pub async fn remove(
        &self,
        name: &CopyName,
        unused_since: Timestamp,
    ) -> Result<bool, CopyError> {
        let key = name.key();
        let removed = self.ask(async {
            let stored = self.store.head(&key).await?.last_modified;
            if stored.timestamp() >= unused_since.seconds() {
                return Ok(false);
            }
            self.store.delete(&key).await?;
            Ok(true)
        });
        match removed.await {
            Ok(is_removed) => Ok(is_removed),
            Err(failure) if failure.is_missing => Ok(true),
            Err(failure) => Err(CopyError::Store(failure.reason)),
        }
    }

    /// Waits for a request to the store.
    async fn ask<T>(
        &self,
        request: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreFailure> {
        if self.is_in_bucket {
            return bucket::ask(request).await.map_err(|failure| StoreFailure {
                is_missing: failure == BucketFailure::Missing,
                reason: failure.to_string(),
            });
        }
        request.await.map_err(|error| StoreFailure {
            is_missing: matches!(error, Error::NotFound { .. }),
            reason: error.to_string(),
        })
    }
}

/// The failure of a request to the store.
struct StoreFailure {
    /// Set if there is no copy of this name.
    is_missing: bool,
    reason: String,
}

#[async_trait]
impl ImageCopies for Copies {
    fn is_name(&self, name: &str) -> bool {
        name.parse::<CopyName>().is_ok()
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let Ok(name) = name.parse() else {
            return Ok(None);
        };
        let bytes = self.get(&name).await.map_err(|error| error.to_string())?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    async fn remove(&self, name: &str, unused_since: Timestamp) -> Result<bool, String> {
        let Ok(name) = name.parse() else {
            return Ok(true);
        };
        let removed = Self::remove(self, &name, unused_since).await;
        removed.map_err(|error| error.to_string())
    }
}

/// Shows no settings of a bucket, as they hold keys.
impl fmt::Debug for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Copies({})", self.store)
    }
}

/// The name of a copy, from the SHA-256 of its bytes.
/// The digest in hexadecimal digits comes first, then the file extension of its kind. Any other text is
/// refused, so a name leads only to copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyName {
    digest: String,
    kind: CopyKind,
}

impl CopyName {
    /// The kind of file of the copy.
    pub fn kind(&self) -> CopyKind {
        self.kind
    }

    fn key(&self) -> Key {
        Key::from(self.to_string())
    }
}

impl fmt::Display for CopyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.digest, self.kind.extension())
    }
}

/// The text is not the name of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a copy")]
pub struct NoCopyName;

impl FromStr for CopyName {
    type Err = NoCopyName;

    fn from_str(text: &str) -> Result<Self, NoCopyName> {
        let (digest, extension) = text.split_once('.').ok_or(NoCopyName)?;
        let mut kinds = CopyKind::ALL.into_iter();
        let kind = kinds.find(|kind| kind.extension() == extension);
        let is_digest = digest.len() == 64
            && digest
                .bytes()
                .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        match kind {
            Some(kind) if is_digest => Ok(Self {
                digest: digest.to_owned(),
                kind,
            }),
            _ => Err(NoCopyName),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(bytes: &[u8], kind: CopyKind) -> ScaledCopy {
        ScaledCopy {
            bytes: bytes.to_vec(),
            kind,
        }
    }

    #[tokio::test]
    async fn the_same_bytes_are_stored_once() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a folder/with ümlauts");
        let copies = Copies::in_folder(&inner).unwrap();
        let first = copies.put(copy(b"bread", CopyKind::Png)).await.unwrap();
        let again = copies.put(copy(b"bread", CopyKind::Png)).await.unwrap();
        let other = copies.put(copy(b"soup", CopyKind::Jpeg)).await.unwrap();
        assert_eq!(first, again);
        assert_eq!(
            other.to_string(),
            format!("{}.jpg", hex::encode(Sha256::digest("soup")))
        );
        let mut files: Vec<_> = std::fs::read_dir(&inner)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut names = [first.to_string(), other.to_string()];
        files.sort();
        names.sort();
        assert_eq!(files, names);

        let reopened = Copies::in_folder(&inner).unwrap();
        // Stored again meanwhile, long ago, and gone.
        let soup = copies.put(copy(b"stew", CopyKind::Png)).await.unwrap();
        for (since, is_gone) in [(0, false), (i64::from(u32::MAX), true), (0, true)] {
            let since = Timestamp::from_micros(since * 1_000_000);
            assert_eq!(reopened.remove(&soup, since).await.unwrap(), is_gone);
        }
        assert_eq!(reopened.get(&soup).await.unwrap(), None);
        assert_eq!(&reopened.get(&first).await.unwrap().unwrap()[..], b"bread");
        std::fs::remove_file(inner.join(first.to_string())).unwrap();
        assert_eq!(reopened.get(&first).await.unwrap(), None);
        std::fs::write(inner.join(other.to_string()), b"soap").unwrap();
        let damaged = reopened.get(&other).await;
        assert!(matches!(damaged, Err(CopyError::Damaged)), "{damaged:?}");
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Copies::in_folder(file.path()).unwrap_err().to_string();
        assert!(
            error.contains(&file.path().display().to_string()),
            "{error}"
        );
    }

    #[test]
    fn names_are_digests_with_an_end() {
        let digest = "0123456789abcdef".repeat(4);
        for end in ["jpg", "png"] {
            let name = format!("{digest}.{end}");
            assert_eq!(name.parse::<CopyName>().unwrap().to_string(), name);
        }
        for wrong in [
            "".to_owned(),
            digest.clone(),
            format!("{digest}."),
            format!("{digest}.gif"),
            format!("{digest}.jpg.png"),
            format!("{digest}0.jpg"),
            format!("{}.jpg", digest.to_uppercase()),
            format!("{}.jpg", &digest[1..]),
            format!("../{}.jpg", &digest[3..]),
            format!("{}%2f.jpg", &digest[3..]),
            format!("{digest}.jpg#1"),
        ] {
            assert_eq!(wrong.parse::<CopyName>(), Err(NoCopyName), "{wrong}");
        }
    }
}
