//! A check of the image folder against the store's folder.
//! They have to be apart. Each would take the other's files for its own, in a backup or when one of them
//! is emptied.

use std::path::{Path, PathBuf, absolute};

/// The folders for images and for the store are the same, or nested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the folder for images, {}, and the folder of the store, {}, must not be the same or one in \
     the other: choose another one with --images DIR",
    images.display(),
    store.display()
)]
pub struct FoldersOverlap {
    images: PathBuf,
    store: PathBuf,
}

/// Checks the folders for overlap: neither may be in the other.
/// They need not exist.
///
/// # Errors
/// [`FoldersOverlap`].
pub fn check_apart(images: &Path, store: &Path) -> Result<(), FoldersOverlap> {
    let (images, store) = (resolved(images), resolved(store));
    if images.starts_with(&store) || store.starts_with(&images) {
        return Err(FoldersOverlap { images, store });
    }
    Ok(())
}

/// Resolves links and `..` in the existing part of a path.
fn resolved(path: &Path) -> PathBuf {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = path.ancestors().find_map(|ancestor| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some(ancestor.canonicalize().ok()?.join(rest))
    });
    found.unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_and_nested_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("there")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("there"), folder.path().join("link"))
            .unwrap();
        for (images, store, apart) in [
            ("images", "store", true),
            ("images", "images2", true),
            ("there", "there2/there", true),
            ("images", "images", false),
            ("images", "images/", false),
            ("store/images", "store", false),
            ("images", "images/a/store", false),
            ("there", "link", false),
            ("link/images", "there", false),
            ("there/../images", "images", false),
        ] {
            let [images, store] = [images, store].map(|name| folder.path().join(name));
            let checked = check_apart(&images, &store);
            assert_eq!(checked.is_ok(), apart, "{images:?} {store:?}");
        }
        let error = check_apart(Path::new("images"), Path::new("images")).unwrap_err();
        assert!(error.to_string().contains("--images DIR"), "{error}");
    }
}
