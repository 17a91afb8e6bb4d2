//! The version of the program, without the commit.

/// A version.
#[derive(Clone, Debug, Default)]
pub struct VersionInfo {
    /// The first number.
    pub major: u8,
    /// The second number.
    pub minor: u8,
    /// The third number.
    pub patch: u16,
    /// The compiler's channel.
    pub host_compiler: Option<String>,
    /// The commit.
    pub commit_hash: Option<String>,
    /// The day of the commit.
    pub commit_date: Option<String>,
    /// The tag of the version.
    pub version_tag: Option<String>,
    /// The crate.
    pub crate_name: String,
}

/// Returns an empty version.
#[macro_export]
macro_rules! get_version_info {
    () => {
        $crate::version::VersionInfo::default()
    };
}

/// Sets nothing for the version.
#[macro_export]
macro_rules! setup_version_info {
    () => {};
}
