//! The notice on a page about the previous action.
//!
//! An action ends with a redirect, so a reload repeats nothing. The address has only the name of a
//! notice: a link cannot make a page say anything else.

use std::borrow::Cow;

/// Defines the notices, each with its name in addresses and messages.
macro_rules! notices {
    ($($notice:ident = $name:literal;)*) => {
        /// A notice.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Notice {
            $(#[doc = concat!("The message `notice-", $name, "`.")] $notice,)*
        }

        impl Notice {
            /// Returns its name.
            fn name(self) -> &'static str {
                match self {
                    $(Self::$notice => $name,)*
                }
            }
        }
    };
}

notices! {
    AccountChanged = "account-changed";
    BulkUndone = "bulk-undone";
    ClockAdvanced = "clock-advanced";
    EmailChanged = "email-changed";
    ErasurePlanned = "erasure-planned";
    ErasureTakenBack = "erasure-taken-back";
    KeyRevoked = "key-revoked";
    NameChanged = "name-changed";
    NoPersonFound = "no-person-found";
    PasswordChanged = "password-changed";
    PasswordSet = "password-set";
    PasskeyAdded = "passkey-added";
    PasskeyRemoved = "passkey-removed";
    PersonBlanked = "person-blanked";
    PingQueued = "ping-queued";
    ProductMade = "product-made";
    ProductSaved = "product-saved";
    ProductsChanged = "products-changed";
    ProviderRemoved = "provider-removed";
    ProviderSet = "provider-set";
    Resent = "resent";
    ScreenDeleted = "screen-deleted";
    ScreenMade = "screen-made";
    SecondFactorRemoved = "second-factor-removed";
    SecondFactorReset = "second-factor-reset";
    SessionClosed = "session-closed";
    SessionEnded = "session-ended";
    SessionsClosed = "sessions-closed";
    SignInEnded = "sign-in-ended";
    SignedOut = "signed-out";
    SimulatedClosing = "simulated-closing";
    SimulatedDay = "simulated-day";
    SimulatedOrder = "simulated-order";
    SimulatedReceipt = "simulated-receipt";
    StockCounted = "stock-counted";
    StockEntered = "stock-entered";
    StockMinimumRemoved = "stock-minimum-removed";
    StockMinimumSet = "stock-minimum-set";
    StockSame = "stock-same";
    TokenRevoked = "token-revoked";
    UserChanged = "user-changed";
    UserMade = "user-made";
    UserRemoved = "user-removed";
    WebhookChanged = "webhook-changed";
    WebhookDeleted = "webhook-deleted";
    WebhookOff = "webhook-off";
    WebhookOn = "webhook-on";
    WebhookOnWithout = "webhook-on-without";
}

/// Returns the text of the notice with this name.
pub(super) fn text(name: &str) -> Option<Cow<'static, str>> {
    text_of!("notice", name)
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
        assert_eq!(text("signed-out").as_deref(), Some("You are signed out."));
        assert_eq!(text("<script>"), None);
    }
}
