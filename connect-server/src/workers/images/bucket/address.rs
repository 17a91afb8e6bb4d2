//! The address of a bucket: `s3://BUCKET/PREFIX`.

use std::{fmt, str::FromStr};

use object_store::path::Path as Key;

/// A bucket in S3, with the prefix of the copies in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketAddress {
    pub(super) bucket: String,
    /// Empty if the copies lie at the top of the bucket.
    pub(super) prefix: Key,
}

/// The text is not the address of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be a folder, or a bucket as s3://BUCKET or s3://BUCKET/PREFIX, with nothing but letters, digits, \
     \"-\", \"_\" and \".\" in their names; keys are set by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
)]
pub struct NoBucketAddress;

impl FromStr for BucketAddress {
    type Err = NoBucketAddress;

    fn from_str(text: &str) -> Result<Self, NoBucketAddress> {
        let rest = text.strip_prefix("s3://").ok_or(NoBucketAddress)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_known);
        let names = prefix.strip_suffix('/').unwrap_or(prefix);
        let has_names = prefix.is_empty() || names.split('/').all(is_name);
        if !has_names || !is_name(bucket) || !bucket.as_bytes()[0].is_ascii_alphanumeric() {
            return Err(NoBucketAddress);
        }
        Ok(Self {
            bucket: bucket.to_owned(),
            // Refuses "." and "..".
            prefix: Key::parse(names).map_err(|_| NoBucketAddress)?,
        })
    }
}

impl fmt::Display for BucketAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}", self.bucket)?;
        match self.prefix.as_ref() {
            "" => Ok(()),
            prefix => write!(f, "/{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_and_a_prefix_are_read_and_nothing_else() {
        for (text, shown) in [
            ("s3://shop", Some("s3://shop")),
            ("s3://shop/", Some("s3://shop")),
            ("s3://shop/images", Some("s3://shop/images")),
            ("s3://shop/images/", Some("s3://shop/images")),
            (
                "s3://shop.example/a/b_c/d-e",
                Some("s3://shop.example/a/b_c/d-e"),
            ),
            ("s3://9Shop_1", Some("s3://9Shop_1")),
            ("", None),
            ("shop", None),
            ("s3:", None),
            ("s3:shop", None),
            ("s3:/shop", None),
            ("s3://", None),
            ("s3:///images", None),
            ("S3://shop", None),
            ("s3a://shop/images", None),
            ("https://shop.s3.amazonaws.com", None),
            ("file:///srv/images", None),
            ("s3://shop//images", None),
            ("s3://shop/images//", None),
            ("s3://shop/../images", None),
            ("s3://shop/./images", None),
            ("s3://../images", None),
            ("s3://.", None),
            ("s3://-shop", None),
            ("s3://shop?region=eu-west-1", None),
            ("s3://shop/images?versionId=1", None),
            ("s3://shop/images#top", None),
            ("s3://shop:443/images", None),
            ("s3://user@shop/images", None),
            ("s3://AKIA:key@shop/images", None),
            ("s3://shop/images of shops", None),
            ("s3://shop/%2e%2e", None),
            ("s3://shöp", None),
            (" s3://shop", None),
        ] {
            let read = text.parse::<BucketAddress>().ok();
            let read = read.map(|address| address.to_string());
            assert_eq!(read.as_deref(), shown, "{text:?}");
        }
        let refused = NoBucketAddress.to_string();
        assert!(refused.contains("s3://BUCKET/PREFIX"), "{refused}");
    }
}
