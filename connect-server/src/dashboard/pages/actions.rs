//! The names of owners' actions, for the log.

use crate::telemetry::audit::Action;

/// Finds the action of the form at this place, if any.
pub(super) fn of(place: &[&str]) -> Option<Action> {
    Some(match place {
        ["sign-in"] => Action::SignIn,
        ["invitations", _] => Action::AcceptInvitation,
        ["sign-out"] => Action::SignOut,
        ["account"] => Action::ChangeAccount,
        ["account", "email"] => Action::ChangeEmail,
        ["account", "password"] => Action::ChangePassword,
        ["tokens"] => Action::CreateToken,
        ["tokens", _, "revoke"] => Action::RevokeToken,
        ["webhooks"] => Action::CreateWebhook,
        ["webhooks", _] => Action::ChangeWebhook,
        ["webhooks", _, "test"] => Action::TestWebhook,
        ["webhooks", _, "enable"] => Action::EnableWebhook,
        ["webhooks", _, "disable"] => Action::DisableWebhook,
        ["webhooks", _, "roll"] => Action::RollWebhookSecret,
        ["webhooks", _, "delete"] => Action::DeleteWebhook,
        ["webhooks", _, "resend-failed"] | ["webhooks", _, "deliveries", _, "resend"] => {
            Action::ResendDeliveries
        }
        ["products", "bulk"] => Action::ChangeProducts,
        ["sandbox"] => Action::UseSandbox,
        ["screens"] => Action::CreateScreen,
        ["screens", "names"] => Action::ChangeNames,
        ["screens", _, "key"] => Action::RollScreenKey,
        ["screens", _, "revoke"] => Action::RevokeScreenKey,
        ["screens", _, "delete"] => Action::DeleteScreen,
        _ => return None,
    })
}
