//! The notice on a page about the previous action.
//!
//! An action ends with a redirect, so a reload repeats nothing. The address has only the name of a
//! notice: a link cannot make a page say anything else.

/// Defines the notices, each with its name in addresses and its text.
macro_rules! notices {
    ($($notice:ident = $name:literal: $text:literal;)*) => {
        /// A notice.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Notice {
            $(#[doc = $text] $notice,)*
        }

        impl Notice {
            /// Returns its name.
            fn name(self) -> &'static str {
                match self {
                    $(Self::$notice => $name,)*
                }
            }

            /// Returns the text of the notice with this name.
            pub(super) fn text(name: &str) -> Option<&'static str> {
                match name {
                    $($name => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}

notices! {
    AccountChanged = "account-changed": "Your changes were saved.";
    AllResent = "all-resent": "The events are sent again. Reload the page in a moment to see the results.";
    ClockAdvanced = "clock-advanced": "The clock was put ahead. Work that is now due is done within a moment.";
    EmailChanged = "email-changed": "Your e-mail address was changed. Use it from the next sign-in on.";
    ErasurePlanned = "erasure-planned": "The erasure is planned. Until its time, you can take it back here.";
    ErasureTakenBack = "erasure-taken-back": "Nothing of it is erased.";
    KeyRevoked = "key-revoked": "The key of the screen is refused from now on.";
    NameChanged = "name-changed": "The name was changed. Earlier records keep the former name.";
    NoPersonFound = "no-person-found": "No record has this name or id. A name has to be written as it is stored.";
    NoneFailed = "none-failed": "There is nothing to send again: no delivery was given up since then, or each was sent again or has become out of date.";
    PasswordChanged = "password-changed": "The password was changed. You are signed out everywhere else.";
    PasswordSet = "password-set": "Your password is set, and you are signed in.";
    PasskeyAdded = "passkey-added": "Your passkey was added. Try it at your next sign-in, before you need it.";
    PasskeyRemoved = "passkey-removed": "The passkey was removed. You are signed out everywhere else. Delete it from your device as well.";
    PersonBlanked = "person-blanked": "The name is gone from the receipts, orders and events that had it.";
    PingQueued = "ping-queued": "A test is on its way. Reload the page in a moment to see its result.";
    ProductsChanged = "products-changed": "The products were changed.";
    ProviderRemoved = "provider-removed": "The provider was removed. Users sign in with passwords.";
    ProviderSet = "provider-set": "The provider was saved. Try the way in before you tell your users.";
    Resent = "resent": "The event is sent again. Reload the page in a moment to see its result.";
    ScreenDeleted = "screen-deleted": "The screen was removed.";
    ScreenMade = "screen-made": "The screen was added. Create a key for it, so that it can write.";
    SecondFactorRemoved = "second-factor-removed": "Your second factor was removed. You are signed out everywhere else.";
    SecondFactorReset = "second-factor-reset": "The second factor and the passkeys were removed. The password alone signs this user in.";
    SessionClosed = "session-closed": "The session was ended.";
    SessionEnded = "session-ended": "Your session has ended, so nothing was done. Sign in again, and repeat your last step.";
    SessionsClosed = "sessions-closed": "All other sessions were ended.";
    SignInEnded = "sign-in-ended": "This sign-in has ended: it took too long, or there were too many wrong codes. Sign in again.";
    SignedOut = "signed-out": "You are signed out.";
    SimulatedClosing = "simulated-closing": "The register was closed. Its Z report is in the journal.";
    SimulatedDay = "simulated-day": "A day of trade is in the journal.";
    SimulatedOrder = "simulated-order": "The order is among the orders.";
    SimulatedReceipt = "simulated-receipt": "The receipt is in the journal.";
    SomeResent = "some-resent": "The newest of the events are sent again. There are more: press the button again to send the ones before them.";
    TokenRevoked = "token-revoked": "The token was revoked. It is refused from now on.";
    UserChanged = "user-changed": "The user was changed.";
    UserMade = "user-made": "The user was added. Invite the person, to set a password.";
    UserRemoved = "user-removed": "The user was removed.";
    WebhookChanged = "webhook-changed": "The webhook was changed.";
    WebhookDeleted = "webhook-deleted": "The webhook was deleted.";
    WebhookOff = "webhook-off": "The webhook is off. Events wait for up to 30 days, until you switch it on.";
    WebhookOn = "webhook-on": "The webhook is on. Waiting events are sent first, in order.";
    WebhookOnWithout = "webhook-on-without": "The webhook is on. Waiting events are dropped; events from now on are sent.";
}

/// Returns the address of a page with a notice.
/// The path may have a query.
pub(super) fn at(path: &str, notice: Notice) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}done={}", notice.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_name_of_a_notice() {
        assert_eq!(at("/a", Notice::SignedOut), "/a?done=signed-out");
        assert_eq!(at("/a?at=b", Notice::SignedOut), "/a?at=b&done=signed-out");
        assert_eq!(Notice::text("signed-out"), Some("You are signed out."));
        assert_eq!(Notice::text("<script>"), None);
    }
}
