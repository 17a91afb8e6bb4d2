//! The place of the copies of images.

use std::{fmt, path::PathBuf, str::FromStr};

use crate::workers::images::{BucketAddress, NoBucketAddress};

/// A place for the copies of images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImagePlace {
    /// In memory, lost when the server stops.
    Memory,
    /// In this folder, possibly shared by several servers.
    Folder(PathBuf),
    /// In a bucket of S3, possibly shared by several servers.
    Bucket(BucketAddress),
}

impl ImagePlace {
    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Memory | Self::Bucket(_) => None,
        }
    }
}

/// Reads a folder or the address of a bucket. Whatever begins as an address does is no folder.
impl FromStr for ImagePlace {
    type Err = NoBucketAddress;

    fn from_str(text: &str) -> Result<Self, NoBucketAddress> {
        if text.is_empty() || text.contains("://") || text.starts_with("s3:") {
            return text.parse().map(Self::Bucket);
        }
        Ok(Self::Folder(text.into()))
    }
}

impl fmt::Display for ImagePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Bucket(address) => write!(f, "{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_never_taken_for_a_folder() {
        for folder in ["images", "/srv/images", "./s3", "memory", "a:b"] {
            assert_eq!(folder.parse(), Ok(ImagePlace::Folder(folder.into())));
        }
        let bucket = "s3://shop/images".parse::<ImagePlace>().unwrap();
        assert!(matches!(bucket, ImagePlace::Bucket(_)), "{bucket}");
        assert_eq!(bucket.to_string(), "s3://shop/images");
        for wrong in [
            "",
            "s3:shop",
            "s3:/shop",
            "S3://shop",
            "gs://shop",
            "s3://",
            "s3://a:b@shop",
        ] {
            assert_eq!(wrong.parse::<ImagePlace>(), Err(NoBucketAddress), "{wrong}");
        }
    }
}
