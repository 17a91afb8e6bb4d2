//! The dashboard as a relying party of passkeys (WebAuthn).

use std::sync::LazyLock;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use connect_core::{NewPasskey, PasskeyClaim, UserSession};
use maud::{Markup, PreEscaped, html};
use serde::de::DeserializeOwned;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use url::{Host, Url};
use webauthn_rs::{
    Webauthn, WebauthnBuilder,
    prelude::{
        DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential,
        RegisterPublicKeyCredential, WebauthnError,
    },
};

/// The script of the pages with a passkey, and the only one.
const SCRIPT: &str = include_str!("script.js");

/// The hash of the script for a `Content-Security-Policy`.
pub(crate) static SCRIPT_HASH: LazyLock<String> = LazyLock::new(|| {
    let hash = base64::prelude::BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    format!("'sha256-{hash}'")
});

/// The longest answer of a browser.
const MOST_ANSWER: usize = 16 * 1024;

/// The problem of a browser's answer, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unverified(pub(super) &'static str);

/// A challenge for a browser.
pub(super) struct Challenge {
    /// The options for the browser, in JSON.
    pub(super) options: String,
    /// The state to verify the answer with.
    pub(super) state: String,
}

/// The dashboard at its address, for passkeys.
pub(super) struct RelyingParty {
    webauthn: Webauthn,
    /// The address, without a path.
    address: Url,
}

impl RelyingParty {
    /// The dashboard at this address; `None` where browsers give no passkeys.
    /// They do over HTTPS at a name, and on their own machine at `localhost`.
    pub(super) fn at(owner_url: &str) -> Option<Self> {
        let mut address = Url::parse(owner_url).ok()?;
        if is_loopback(&address) {
            address.set_host(Some("localhost")).ok()?;
        }
        let is_local = address.domain()? == "localhost";
        if address.scheme() != "https" && !is_local {
            return None;
        }
        let builder = WebauthnBuilder::new(address.domain()?, &address).ok()?;
        // A tunnel to the own machine has another port there.
        let builder = builder.rp_name("Connect").allow_any_port(is_local);
        let webauthn = builder.build().ok()?;
        Some(Self { webauthn, address })
    }

    /// Begins to add a passkey, besides the present ones.
    pub(super) fn begin_to_add(
        &self,
        to: &UserSession,
        present: &[connect_core::Passkey],
    ) -> Result<Challenge, Unverified> {
        let present = present
            .iter()
            .flat_map(|passkey| BASE64.decode(&passkey.credential_id));
        let user = to.user();
        let begun = self.webauthn.start_passkey_registration(
            user.id.uuid(),
            &user.email,
            &user.name,
            Some(present.collect()),
        );
        let (options, state) = begun.map_err(refused)?;
        let mut options = json!(options.public_key);
        // A sign-in needs no e-mail address: the device keeps the passkey with its user, and the handle leads to the
        // account.
        options["user"]["id"] = BASE64.encode(to.passkey_handle()).into();
        options["authenticatorSelection"]["residentKey"] = "required".into();
        options["authenticatorSelection"]["requireResidentKey"] = true.into();
        Ok(Challenge {
            options: options.to_string(),
            state: written(&state),
        })
    }

    /// Verifies the answer of a browser with a new passkey.
    pub(super) fn added(&self, state: &str, answer: &str) -> Result<NewPasskey, Unverified> {
        let state: PasskeyRegistration = read(state)?;
        let answer: RegisterPublicKeyCredential = read(answer)?;
        let passkey = self.webauthn.finish_passkey_registration(&answer, &state);
        let passkey = passkey.map_err(refused)?;
        Ok(NewPasskey {
            credential_id: BASE64.encode(passkey.cred_id()),
            credential: written(&passkey),
        })
    }

    /// Begins a sign-in.
    pub(super) fn begin_sign_in(&self) -> Result<Challenge, Unverified> {
        let begun = self.webauthn.start_discoverable_authentication();
        let (options, state) = begun.map_err(refused)?;
        Ok(Challenge {
            options: written(&options.public_key),
            state: written(&state),
        })
    }

    /// Verifies the answer of a browser at a sign-in.
    /// Returns the credential after its use.
    pub(super) fn used(
        &self,
        (state, credential): (&str, &str),
        answer: &SignInAnswer,
    ) -> Result<String, Unverified> {
        let state: DiscoverableAuthentication = read(state)?;
        let mut passkey: Passkey = read(credential)?;
        let result = self
            .webauthn
            .finish_discoverable_authentication_v2(&answer.0, state, &passkey);
        passkey.update_credential(&result.map_err(refused)?);
        Ok(written(&passkey))
    }
}

/// Says why there are no passkeys at the address of the dashboard.
pub(super) fn no_passkeys(owner_url: &str) -> String {
    text!("passkeys-need-address", address = owner_url).into_owned()
}

/// Returns whether an address is of the machine itself.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(_)) | None => false,
    }
}

/// The answer of a browser at a sign-in, not verified yet.
pub(super) struct SignInAnswer(PublicKeyCredential);

impl SignInAnswer {
    /// Reads an answer, with its claim.
    pub(super) fn read(answer: &str) -> Result<(Self, PasskeyClaim), Unverified> {
        let answer: PublicKeyCredential = read(answer)?;
        let id = BASE64.encode(answer.get_credential_id());
        let handle = answer.get_user_unique_id().unwrap_or_default();
        let claim = PasskeyClaim::of(handle, id);
        let claim = claim.ok_or(Unverified(
            "is of another service; choose one for this dashboard",
        ))?;
        Ok((Self(answer), claim))
    }
}

/// A form with the answer of a browser, and its script.
/// Without scripts, the page says so.
pub(super) fn asking(
    party: &RelyingParty,
    (action, options): (&str, &str),
    adds: bool,
    content: Markup,
) -> Markup {
    let address = party.address.as_str().trim_end_matches('/');
    html! {
        form method="post" action=(action) data-options=(options) data-adds[adds] data-address=(address) hidden
        {
            input type="hidden" name="answer";
            (content)
        }
        // The script shows the texts of the attributes, and puts its problem into one.
        p.problem role="alert" data-problem data-cancelled=(text!("passkeys-cancelled"))
            data-present=(text!("passkeys-present")) data-not-allowed=(text!("passkeys-not-allowed"))
            data-failed=(text!("passkeys-failed", problem = "$problem"))
            data-elsewhere=(text!("passkeys-elsewhere", address = address))
            data-old-browser=(text!("passkeys-old-browser"))
        { (text!("passkeys-need-script")) }
        script { (PreEscaped(SCRIPT)) }
    }
}

fn written(value: &impl serde::Serialize) -> String {
    // Types of the library, written as they are read.
    serde_json::to_string(value).unwrap_or_default()
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Unverified> {
    const UNREADABLE: Unverified = Unverified(
        "was not sent as browsers send it; try again, with another browser if that fails too",
    );

    if text.len() > MOST_ANSWER {
        return Err(UNREADABLE);
    }
    serde_json::from_str(text).map_err(|_| UNREADABLE)
}

fn refused(error: WebauthnError) -> Unverified {
    if matches!(error, WebauthnError::CredentialPossibleCompromise) {
        tracing::warn!("the counter of a passkey went back: it may have been copied");
    }
    tracing::info!(%error, "a passkey was not accepted");
    Unverified(match error {
        WebauthnError::CredentialPossibleCompromise => {
            "may have been copied; sign in in another way, or ask an owner or the operator, and remove it"
        }
        WebauthnError::InvalidRPOrigin => {
            "was used at another address than the dashboard has for its users; open it there"
        }
        WebauthnError::CredentialBackupEligibilityInconsistent => {
            "has changed on its device since; remove it, and add it again"
        }
        WebauthnError::UserNotVerified => "needs the fingerprint, face or PIN of its device",
        _ => "was not accepted; try again",
    })
}

#[cfg(test)]
mod tests;
