//! The settings of S3: the usual variables `AWS_*`.
//! A wrong one is named. Its value is not repeated, as it may be a key.

use std::{ffi::OsString, time::Duration};

use object_store::{
    BackoffConfig, ClientConfigKey, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey as Setting},
};
use url::Url;

use super::BucketAddress;
use crate::workers::outbound::install_provider;

/// The time for a connection.
const CONNECT: &str = "2 seconds";

/// The time for a request, once more than any answer should take.
const REQUEST: &str = "5 seconds";

/// The repetitions of a request after a lost connection or a 5xx.
const RETRIES: usize = 2;

/// A client for a bucket.
pub(super) struct Client {
    pub(super) store: AmazonS3,
    /// Set if the key is not among the variables.
    /// It then comes from the role of the machine.
    pub(super) has_role: bool,
}

/// Makes the client by these variables. Empty ones set nothing.
///
/// # Errors
/// A setting is missing or wrong: the sentence names it.
pub(super) fn client(
    address: &BucketAddress,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Client, String> {
    let mut builder = AmazonS3Builder::new();
    for (name, value) in variables {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
            continue;
        };
        if let (true, false, Ok(setting)) = (
            name.starts_with("AWS_"),
            value.is_empty(),
            name.to_ascii_lowercase().parse(),
        ) {
            builder = builder.with_config(setting, value);
        }
    }
    let value = |setting| builder.get_config_value(&setting);
    let keys = (value(Setting::AccessKeyId), value(Setting::SecretAccessKey));
    match &keys {
        (Some(_), None) => {
            return Err("there is a key id without its key: set AWS_SECRET_ACCESS_KEY".to_owned());
        }
        (None, Some(_)) => {
            return Err("there is a key without its id: set AWS_ACCESS_KEY_ID".to_owned());
        }
        _ => {}
    }
    let is_graphic = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_region = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    // The client panics on some of these.
    for (name, setting, is_fine) in [
        (
            "AWS_ACCESS_KEY_ID",
            Setting::AccessKeyId,
            &is_graphic as &dyn Fn(&str) -> bool,
        ),
        (
            "AWS_SECRET_ACCESS_KEY",
            Setting::SecretAccessKey,
            &is_graphic,
        ),
        ("AWS_SESSION_TOKEN", Setting::Token, &is_graphic),
        ("AWS_REGION", Setting::Region, &is_region),
    ] {
        if value(setting).is_some_and(|value| !is_fine(&value)) {
            return Err(format!(
                "{name} has a blank or another character that does not belong there: set it anew"
            ));
        }
    }
    let endpoint = value(Setting::S3Endpoint).or_else(|| value(Setting::Endpoint));
    if let Some(endpoint) = endpoint {
        let allows_http = value(Setting::Client(ClientConfigKey::AllowHttp));
        check_endpoint(&endpoint, is_on(allows_http))?;
    }
    let has_role = keys.0.is_none() && !is_on(value(Setting::SkipSignature));
    install_provider();
    let builder = builder
        .with_bucket_name(&address.bucket)
        .with_config(Setting::Client(ClientConfigKey::ConnectTimeout), CONNECT)
        .with_config(Setting::Client(ClientConfigKey::Timeout), REQUEST)
        .with_retry(RetryConfig {
            max_retries: RETRIES,
            retry_timeout: Duration::from_secs(5),
            backoff: BackoffConfig {
                max_backoff: Duration::from_secs(1),
                ..BackoffConfig::default()
            },
        });
    let store = builder.build();
    // The reason would repeat the value.
    let store = store.map_err(|_| {
        "a variable AWS_* has a value that cannot be used: a switch is true or false, and a time such as 30s"
            .to_owned()
    })?;
    Ok(Client { store, has_role })
}

/// Reads a switch as the client does.
fn is_on(value: Option<String>) -> bool {
    let value = value.unwrap_or_default().to_ascii_lowercase();
    matches!(&*value, "1" | "true" | "on" | "yes" | "y")
}

/// Checks the address of S3: the client panics on wrong ones.
fn check_endpoint(endpoint: &str, allows_http: bool) -> Result<(), String> {
    let url = Url::parse(endpoint).ok().filter(|url| {
        let is_plain = url.username().is_empty() && url.password().is_none();
        is_plain && url.has_host() && url.query().is_none() && url.fragment().is_none()
    });
    match url.as_ref().map(Url::scheme) {
        Some("https") => Ok(()),
        Some("http") if allows_http => Ok(()),
        Some("http") => Err(
            "AWS_ENDPOINT is an address over plain HTTP: set an https:// one, or AWS_ALLOW_HTTP=true".to_owned(),
        ),
        _ => Err(
            "AWS_ENDPOINT is not an address without user and query: set one such as https://s3.example"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_variable_is_named_and_its_value_is_not_repeated() {
        let address: BucketAddress = "s3://shop/images".parse().unwrap();
        let keys = "AWS_ACCESS_KEY_ID=hunter1 AWS_SECRET_ACCESS_KEY=hunter2";
        for (variables, wrong) in [
            (keys, None),
            // The role of the machine is asked later.
            ("", None),
            ("AWS_ACCESS_KEY_ID= AWS_SECRET_ACCESS_KEY=", None),
            ("AWS_SKIP_SIGNATURE=true", None),
            ("HOME=/root AWS_PROFILE=hunter2 AWS_PAGER=less", None),
            (
                "AWS_ACCESS_KEY_ID=hunter1",
                Some("set AWS_SECRET_ACCESS_KEY"),
            ),
            (
                "AWS_SECRET_ACCESS_KEY=hunter2",
                Some("set AWS_ACCESS_KEY_ID"),
            ),
            (&format!("{keys}\n"), Some("AWS_SECRET_ACCESS_KEY has")),
            (
                &format!("{keys} AWS_SESSION_TOKEN=hunter\u{e9}"),
                Some("AWS_SESSION_TOKEN has"),
            ),
            (
                &format!("{keys} AWS_REGION=eu.hunter/../"),
                Some("AWS_REGION has"),
            ),
            (
                &format!("{keys} AWS_DEFAULT_REGION=hunter."),
                Some("AWS_REGION has"),
            ),
            (
                &format!("{keys} AWS_ENDPOINT=https://s3.example:9000/"),
                None,
            ),
            (&format!("{keys} AWS_ENDPOINT="), None),
            (
                &format!("{keys} AWS_ENDPOINT=http://s3.example"),
                Some("AWS_ALLOW_HTTP=true"),
            ),
            (
                &format!("{keys} AWS_ENDPOINT_URL=http://s3.example AWS_ALLOW_HTTP=1"),
                None,
            ),
            (
                &format!("{keys} AWS_ENDPOINT=s3.hunter:9000"),
                Some("AWS_ENDPOINT is not"),
            ),
            (
                &format!("{keys} AWS_ENDPOINT=/hunter"),
                Some("AWS_ENDPOINT is not"),
            ),
            (
                &format!("{keys} AWS_ENDPOINT_URL_S3=ftp://hunter"),
                Some("AWS_ENDPOINT is not"),
            ),
            (
                &format!("{keys} AWS_ENDPOINT=https://a:hunter@s3.example"),
                Some("AWS_ENDPOINT is not"),
            ),
            (&format!("{keys} AWS_ALLOW_HTTP=maybe"), Some("AWS_*")),
        ] {
            let variables = variables.split(' ').filter_map(|word| word.split_once('='));
            let variables: Vec<_> = variables.collect();
            let made = client(
                &address,
                variables
                    .iter()
                    .map(|(name, value)| (name.into(), value.into())),
            );
            match (made, wrong) {
                (Ok(made), None) => {
                    assert!(
                        !format!("{:?}", made.store).contains("hunter2"),
                        "{:?}",
                        made.store
                    );
                    let has_keys = variables
                        .iter()
                        .any(|it| !it.1.is_empty() && it.0.contains("KEY"));
                    let is_signed = variables.iter().all(|it| it.0 != "AWS_SKIP_SIGNATURE");
                    assert_eq!(made.has_role, is_signed && !has_keys, "{variables:?}");
                }
                (Err(refused), Some(wrong)) => {
                    assert!(refused.contains(wrong), "{variables:?}: {refused}");
                    assert!(!refused.contains("hunter"), "{variables:?}: {refused}");
                }
                (made, _) => panic!("{variables:?}: {:?}", made.err()),
            }
        }
    }
}
