# The texts of mail in English. A mail is a subject and its text, as it is: a line here is a line there, without the
# indentation that all lines share. Spaces in front of an argument are written as { "    " }.

## Mail to users: each may use $business, $to, $at (the time of its event), $account and $link (addresses of pages)

if-not-you =
    If this was not you, change your password now, end all other sessions, and remove each passkey that is not yours:

    { "    " }{ $account }

    If you cannot sign in, ask another owner of { $business }, or the operator of this service.

invitation = Your invitation to the dashboard of { $business }
    .text =
        You are invited to the dashboard of { $business }. Set your password here:

        { "    " }{ $link }

        The link works once, until { $until }. You will sign in as { $to }.

        If you do not know { $business }, ignore this message.

forgotten-password = Set another password for { $business }
    .text =
        Someone asked for another password for { $to } at { $business }. If it was you, set it here:

        { "    " }{ $link }

        The link works once, until { $until }.

        If it was not you, ignore this message: your password stays as it is.

new-device = A new sign-in to { $business }
    .text =
        { $to } signed in with a browser not seen before.

        { $facts }

        If it was you, there is nothing to do. { if-not-you }
new-device-time = Time: { $at }
new-device-browser = Browser: { $browser }
new-device-address = Address: { $address }

password-changed = Your password for { $business } was changed
    .text =
        The password of { $to } was changed on { $at }. You are signed out everywhere else.

        { if-not-you }

email-changed = Your e-mail address for { $business } was changed
    .text =
        From now on you sign in to { $business } as { $email }, no longer as { $to }. It was changed on { $at }.

        If this was not you, ask another owner of { $business }, or the operator of this service, at once.

factor-added = A second factor for { $business } was added
    .text =
        A second factor of { $to } was added on { $at }.

        { if-not-you }
factor-removed = A second factor for { $business } was removed
    .text =
        A second factor of { $to } was removed on { $at }.

        { if-not-you }

passkey-added = A passkey for { $business } was added
    .text =
        The passkey "{ $name }" of { $to } was added on { $at }.

        { if-not-you }
passkey-removed = A passkey for { $business } was removed
    .text =
        The passkey "{ $name }" of { $to } was removed on { $at }.

        { if-not-you }

provider-changed = The sign-in provider of { $business } was changed
    .text =
        Users of { $business } now sign in through { $issuer }. It was changed on { $at }.

        { if-not-you }
provider-removed = The sign-in provider of { $business } was changed
    .text =
        Users of { $business } no longer sign in through a provider. It was changed on { $at }.

        { if-not-you }

wrong-codes = Wrong codes at a sign-in to { $business }
    .text =
        Someone gave the right password of { $to }, and then wrong codes of the second factor, on { $at }. Nobody was signed in.

        { if-not-you }

erasure-planned = { $what } is going to be erased
    .text =
        On { $at }, someone ordered that { $what } is erased with everything of it. This happens on { $erase_at }. Until then everything goes on, and an owner can take it back in the dashboard, on the page Privacy.

        { if-not-you }

token-expires = The token "{ $name }" of { $business } expires soon
    .text =
        The token "{ $name }" ({ $prefix }…) of { $business } expires on { $expires_at }. The program that uses it is refused from then on.

        If the program is still needed, create another token in the dashboard and enter it there in time:

        { "    " }{ $link }

        If it is not, there is nothing to do.

## Mail about a webhook that was switched off: paragraphs, each of which may use $shop, $address, $failures and $id

webhook-off = A webhook of { $shop } was switched off
webhook-off-failed = The webhook of { $shop } to { $address } was switched off: { $failures } attempts in a row have failed.
webhook-off-failed-since = The webhook of { $shop } to { $address } was switched off: { $failures } attempts in a row have failed since { $since }.
webhook-off-reason = The reason of the last failure: { $reason }
webhook-off-kept = Waiting and new events are kept for up to 30 days.
webhook-off-repair = What to do next: repair the endpoint, then switch the webhook on again. You choose whether the waiting events are sent, in order, or dropped.
webhook-off-sign-in = { webhook-off-repair } Sign in to the dashboard of the service, open Webhooks, and choose this one. If you do not know the address of the dashboard, ask the operator, and name the webhook: { $id }
webhook-off-page =
    { webhook-off-repair } There you also find the recent attempts, and what the endpoint answered:

    { "    " }{ $page }
