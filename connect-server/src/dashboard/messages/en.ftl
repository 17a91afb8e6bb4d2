# The texts of the dashboard in English. A line is an id and its text; `$name` is an argument, <a>…</a> a link.

language = English

## Numbers and amounts

number-group = ,
number-decimal = .
money = { $symbol }{ $amount }
money-of = { $amount }{ "\u00A0" }{ $currency }

## Dates

date = { $day } { $month ->
    [1] Jan
    [2] Feb
    [3] Mar
    [4] Apr
    [5] May
    [6] Jun
    [7] Jul
    [8] Aug
    [9] Sep
    [10] Oct
    [11] Nov
   *[12] Dec
} { $year }
date-time = { $date }, { $time }
month-long = { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}
date-month = { month-long } { $year }
date-long = { $weekday ->
    [1] Monday
    [2] Tuesday
    [3] Wednesday
    [4] Thursday
    [5] Friday
    [6] Saturday
   *[7] Sunday
}, { $day } { month-long } { $year }

## Notices about the action before

notice-account-changed = Your changes were saved.
notice-all-resent = The events are sent again. Reload the page in a moment to see the results.
notice-clock-advanced = The clock was put ahead. Work that is now due is done within a moment.
notice-email-changed = Your e-mail address was changed. Use it from the next sign-in on.
notice-erasure-planned = The erasure is planned. Until its time, you can take it back here.
notice-erasure-taken-back = Nothing of it is erased.
notice-key-revoked = The key of the screen is refused from now on.
notice-name-changed = The name was changed. Earlier records keep the former name.
notice-no-person-found = No record has this name or id. A name has to be written as it is stored.
notice-none-failed = There is nothing to send again: no delivery was given up since then, or each was sent again or has become out of date.
notice-password-changed = The password was changed. You are signed out everywhere else.
notice-password-set = Your password is set, and you are signed in.
notice-passkey-added = Your passkey was added. Try it at your next sign-in, before you need it.
notice-passkey-removed = The passkey was removed. You are signed out everywhere else. Delete it from your device as well.
notice-person-blanked = The name is gone from the receipts, orders and events that had it.
notice-ping-queued = A test is on its way. Reload the page in a moment to see its result.
notice-products-changed = The products were changed.
notice-provider-removed = The provider was removed. Users sign in with passwords.
notice-provider-set = The provider was saved. Try the way in before you tell your users.
notice-resent = The event is sent again. Reload the page in a moment to see its result.
notice-screen-deleted = The screen was removed.
notice-screen-made = The screen was added. Create a key for it, so that it can write.
notice-second-factor-removed = Your second factor was removed. You are signed out everywhere else.
notice-second-factor-reset = The second factor and the passkeys were removed. The password alone signs this user in.
notice-session-closed = The session was ended.
notice-session-ended = Your session has ended, so nothing was done. Sign in again, and repeat your last step.
notice-sessions-closed = All other sessions were ended.
notice-sign-in-ended = This sign-in has ended: it took too long, or there were too many wrong codes. Sign in again.
notice-signed-out = You are signed out.
notice-simulated-closing = The register was closed. Its Z report is in the journal.
notice-simulated-day = A day of trade is in the journal.
notice-simulated-order = The order is among the orders.
notice-simulated-receipt = The receipt is in the journal.
notice-some-resent = The newest of the events are sent again. There are more: press the button again to send the ones before them.
notice-token-revoked = The token was revoked. It is refused from now on.
notice-user-changed = The user was changed.
notice-user-made = The user was added. Invite the person, to set a password.
notice-user-removed = The user was removed.
notice-webhook-changed = The webhook was changed.
notice-webhook-deleted = The webhook was deleted.
notice-webhook-off = The webhook is off. Events wait for up to 30 days, until you switch it on.
notice-webhook-on = The webhook is on. Waiting events are sent first, in order.
notice-webhook-on-without = The webhook is on. Waiting events are dropped; events from now on are sent.

## The frame of every page

frame-skip = Skip to the content
frame-menu = Menu
frame-navigation = Dashboard
frame-sign-out = Sign out
frame-sandbox = Sandbox
frame-sandbox-banner = This is a sandbox: nothing in it is real. <a>Simulate a sale, an order or a day of trade</a>
frame-deliveries = Deliveries
frame-deliveries-banner = Deliveries are off: webhooks and e-mail are not sent, and images are not downloaded. This is a copy of a shop, or one that was restored and is not in use yet.
frame-factor = Second factor
frame-factor-banner = Your account demands a second factor. <a>Set one up to go on</a>
frame-erasure = Erasure
frame-erasure-location = The location { $location } is erased at { $time }.
frame-erasure-account = This account is erased at { $time }.
frame-erasure-keep = Take it back
frame-erasure-owner = An owner can take it back.

group-shop = Shop
group-integrations = Integrations
group-people = People

section-dashboard = Today
section-journal = Journal
section-orders = Orders
section-products = Products
section-stock = Stock
section-tokens = Tokens
section-webhooks = Webhooks
section-screens = Screens
section-users = Users
section-activity = Activity
section-account = Account
section-privacy = Privacy
section-usage = API and usage
section-sandbox = Sandbox
section-components = Components

## Parts of pages

gone = there is no such page, or its record no longer exists
copy-now = Copy it now. It is not shown again.
field-current-password = Current password
field-code = Code
form-too-old = this form is too old, or did not come from the dashboard; open its page again and repeat your last step

word-location = Location
word-show = Show
word-name = Name
word-product = Product
word-code = Code
word-category = Category
word-price = Price
word-vat = VAT
word-total = Total
word-register = Register
word-employee = Employee
word-note = Note
word-time = Time
word-email = E-mail address
word-password = Password
word-sign-in = Sign in
word-save = Save
word-cancel = Cancel
word-yes = Yes
word-no = No
word-status = Status
word-key = Key

## All components

gallery-problem = is not a name
gallery-hint = As on the door.
gallery-words = Words of a component

## Periods

period-from-to = { $first } to { $last }
period-day = Day
period-week = Week
period-month = Month
period-year = Year
period = Period
period-before = Earlier
period-after = Later
period-all = All

## Today

today-turnover = Turnover
today-receipts = Receipts
today-average = Average receipt
today-refunds = Refunds
today-refund-count = { $count ->
    [one] 1 receipt
   *[other] { $count } receipts
}
today-discounts = Discounts
today-hour = Hour
today-article = { $name } × { $quantity }
today-best = Best products
today-worst = Worst products
today-locations = Locations side by side
before-day = Same day last week
before-day-so-far = Same time last week
before-week = Week before
before-week-so-far = Week before, to the same time
before-month = Month before
before-month-so-far = Month before, to the same time
before-year = Year before
before-year-so-far = Year before, to the same time
chart-table = As a table
chart-bar = { $name }: { $amount }

## Shop

shop-next-page = Next page
shop-nowhere = This account has no location yet. Ask the operator of this server to add one.
shop-nothing-so-far = Nothing was found so far. The next page continues the search.
shop-nothing-more = There is nothing more.
shop-net = Net
shop-sales = Sales
shop-payments = Payments
shop-what = What
shop-number = Number
shop-counted = Counted
shop-stock = Stock
shop-means-cash = Cash
shop-means-card = Card
shop-means-voucher = Voucher
shop-means-invoice = Invoice
shop-means-other = Other


## Journal

journal-title = Journal
journal-z-reports = Z reports
journal-nothing-sold = Nothing was sold yet.
journal-nothing-sold-then = Nothing was sold in this period.
journal-receipt = Receipt
journal-receipts = Receipts
journal-receipt-title = { $kind } { $number }
journal-sale = Sale
journal-refund = Refund
journal-opening-float = Opening float
journal-cash-in = Cash in
journal-cash-out = Cash out
journal-refund-of = Refund of
journal-the-sale = the sale
journal-back = Back to the journal
journal-quantity = Quantity
journal-article = Article
journal-articles = Articles
journal-no-closing = No register was closed yet.
journal-closed = Closed
journal-cash-expected = Cash expected
journal-difference = Difference

## Orders

orders-title = Orders
orders-state = State
orders-any = Any
orders-none = No order matches. Kiosks and Scan & Order pages make them.
orders-from = From
orders-for = For
orders-from-kiosk = Kiosk
orders-from-scan-and-order = Scan & Order
orders-new = New
orders-accepted = Accepted
orders-preparing = In preparation
orders-ready = Ready
orders-completed = Completed
orders-cancelled = Cancelled

## Products

products-title = Products
products-none-yet = There is no product yet. Other software adds them through the API.
products-none = No product matches.
products-code-or-barcode = Code or barcode
products-all = All
products-find = Find
products-categories-cut = Only { $most } categories are offered: those that have not changed for longest.
products-choose = Choose
products-choose-one = Choose { $product }
products-for-sale = For sale
products-changes = Changes
products-changes-of = Changes of { $product }
products-nothing = Nothing
products-with-chosen = With the chosen products
products-choose-category = Choose one
products-no-category = No category
products-set-category = Set the category
products-set-price = Set the price
products-vat = VAT in %
products-set-vat = Set the VAT
products-put-on-sale = Put on sale
products-take-off-sale = Take off sale
products-delete = Delete…
products-delete-chosen = Delete the chosen products
products-delete-consequence = They are removed for every program that uses the API. This cannot be undone.
products-unchanged = Nothing was changed. { $reason }
products-choose-first = choose the products first
products-choose-action = choose an action
products-must-be-chosen = must be chosen
products-must-be-amount = must be an amount such as 3.50
products-must-be-percentage = must be a percentage such as 9 or 5.5
products-partly = Changed: { $changed }. Left as they were: { $left }.
products-failure = <strong>{ $product }</strong>: { $problem }
products-gone = A product that no longer exists

## Stock

stock-empty = No product is tracked yet. Its stock is known from the first count or delivery on.
stock-deleted = A deleted product
stock-level = In stock
stock-since = Since
stock-history = History
stock-history-of = History of { $product }
stock-of = Stock of { $product }
stock-of-deleted = Stock of a product that was deleted
stock-nothing-moved = Nothing has moved yet.
stock-back = Back to the stock
stock-movements = Movements
stock-change = Change
stock-after = After it
stock-by = By
stock-delivered = Delivered
stock-corrected = Corrected
stock-sold = Sold
stock-taken-back = Taken back

## Account

account-title = Account
account-business-name = Name of the business
account-signing-in = Signing in
account-demand = Demand a second factor of all users
account-demand-hint = A user without one can do nothing until one is set up.
account-demand-label = This
account-single-sign-on-hint = Users sign in through the provider of your company.
account-set-up-single-sign-on = Set up single sign-on
account-you = You
account-own-name = Your name
account-email-hint = You sign in with it.
account-email-hint-owner = You sign in with it. If a webhook is switched off, a message is sent to the first owner.
account-change-email = Change e-mail address
account-new-email = New e-mail address
account-current-email = You sign in as <strong>{ $email }</strong>.
account-change-password = Change password
account-new-password = New password
account-password-hint = You are signed out everywhere else.
account-factor-needed = A sign-in needs more than your password.
account-factor-not-needed = A sign-in needs your password alone.
account-authenticator-app = Authenticator app
account-sessions = Sessions
account-sessions-hint = You are signed in on this browser until <time></time>, or for a day without use.
account-browser = Browser
account-address = Address
account-signed-in = Signed in
account-last-used = Last used
account-actions = Actions
account-unknown-browser = Unknown
account-this-browser = This browser
account-end = End
account-end-others = End all other sessions
account-back = Back to the account
account-remove-heading = Remove
account-remove = Remove…
account-remove-of = Remove… { $name }

## New password

new-password-hint = At least { $count } characters. Three or four unrelated words are easy to remember and hard to guess.
new-password-repeated = { $label } once more
new-password-must-be-same = must be the same as the one above

## Second factor

second-factor-title = Second factor
second-factor-explained = With a second factor, a sign-in needs your password and a code of an app on your phone. Any authenticator app will do, also the one in a password manager. <a>A passkey</a> needs no code, and is a second factor too.
second-factor-set-up = Set up
second-factor-hint-of-provider = You sign in through the provider of your company. If you have no password here, ask another owner, or the operator of this server, for an invitation first.
second-factor-hint-of-demand = Your account demands a second factor: without an app and a passkey you see your own account and little else.
second-factor-added = Added <time></time>. A sign-in needs your password and a code of your app, or a passkey.
second-factor-problem-of-password = The current password { $problem }
second-factor-recovery-codes = Recovery codes
second-factor-codes-left = { $count ->
    [one] One recovery code is left.
   *[other] { $count } recovery codes are left.
} New ones replace all of them, used or not.
second-factor-renew-codes = Make new recovery codes
second-factor-remove = Remove the second factor
second-factor-remove-full = Remove… the second factor
second-factor-remove-consequence = From then on your password needs no code. You are signed out everywhere else.
second-factor-read-code = 1. Read this code with your authenticator app.
second-factor-qr-code = QR code
second-factor-cannot-read = The app cannot read it?
second-factor-type-key = Type this key into the app instead:
second-factor-type-digits = 2. Type the six digits that the app shows.
second-factor-type-digits-now = Type the six digits that the app shows now.
second-factor-turn-on = Turn on
second-factor-begin-again = Begin again
second-factor-your-codes = Your recovery codes
second-factor-codes-explained = These are your recovery codes. Each signs you in once, in place of a code of your app: keep them where you find them without your phone, such as on paper. They are not shown again.
second-factor-codes-kept = I have kept them

## Passkeys

passkeys-title = Passkeys
passkeys-explained = With a passkey you sign in by the fingerprint, face or PIN of your phone, computer or security key. It works on this dashboard alone, so no other site can ask for it.
passkeys-add-two = After your password you then need a passkey as well, or a code: without both you cannot sign in. So add two, or an <a>authenticator app</a> with its recovery codes.
passkeys-none = You have no passkey yet.
passkeys-add = Add a passkey
passkeys-yours = Your passkeys
passkeys-added = Added
passkeys-last-sign-in = Last sign-in
passkeys-never = Never
passkeys-action = Action
passkeys-remove = Remove the passkey
passkeys-remove-consequence = It no longer signs you in. You are signed out everywhere else.
passkeys-name = Name of the passkey
passkeys-name-hint = Such as the device that keeps it: My phone.
passkeys-not-needed = You sign in through the provider of your company, and need none.
passkeys-go-on = Go on
passkeys-make = Make the passkey
passkeys-press-button = Press the button. Your browser then asks for the device, and for your fingerprint, face or PIN.

## Sign-in

sign-in-wrong = the e-mail address or the password is wrong
sign-in-forgotten = Forgot your password?
sign-in-no-password = No password yet? Ask an owner of your account, or the operator of this server, for an invitation.
sign-in-type-digits = Type the six digits that your authenticator app shows.
sign-in-without-phone = Without your phone, type a recovery code in place of the digits. Without both, ask an owner of your account, or the operator of this server, to remove your second factor.
sign-in-as-other = Sign in as someone else
sign-in-with-passkey = Sign in with a passkey
sign-in-use-passkey = Use a passkey
sign-in-confirm-by-passkey = Your password is right. Confirm that it is you with your passkey.
sign-in-passkey-explained = Use the fingerprint, face or PIN of this device, of your phone, or a security key.
sign-in-with-own-password = Sign in with your password
sign-in-code-instead = Type a code instead
sign-in-without-passkey = Without your passkey, ask an owner of your account, or the operator of this server, to remove your second factor.

## Forgotten password

forgotten-title = Set another password
forgotten-send = Send me a link
forgotten-no-mail = This server sends no mail. Ask an owner of your account, or the operator of this server, for a new invitation: it sets another password.
forgotten-look = Look into your mailbox
forgotten-on-its-way = If someone signs in with this address, a message with a link is on its way. The link sets another password; it is good for an hour, and for one use.
forgotten-no-message = No message? Look among the unwanted ones, and check the address. Another message is sent after five minutes.

## Invitation

invitation-title = Set your password
invitation-explained = You are invited to the dashboard of <strong>{ $name }</strong>. You will sign in as <strong>{ $email }</strong>.
invitation-set = Set password
invitation-address-taken = this e-mail address is not available; ask for an invitation to another one
invitation-gone = This invitation is no longer valid
invitation-gone-explained = It was used, was replaced by a newer one, or is too old: an invitation is good for three days, a link for a forgotten password for an hour. Ask for a new one.

## Single sign-on

single-sign-on-title = Single sign-on
single-sign-on-explained = Users sign in through the provider of your company, such as Keycloak, Entra ID or Google, by OpenID Connect. Each is found by the e-mail address that the provider has verified: add the users first.
single-sign-on-register = Register this service at your provider as a confidential client, with this address to come back to: <code>{ $address }</code>
single-sign-on-fill-in = Fill in what the provider shows:
single-sign-on-issuer = Issuer
single-sign-on-issuer-hint = The address of the provider, such as https://login.example.com/realms/shop.
single-sign-on-client-id = Client id
single-sign-on-client-secret = Client secret
single-sign-on-client-secret-hint = It is stored encrypted, and never shown.
single-sign-on-present-secret-hint = It is stored encrypted, and never shown. Leave it empty to keep the present one.
single-sign-on-way-in = The way in
single-sign-on-give-address = Give this address to your users, and try it yourself in another browser:
single-sign-on-passwords = A user who has come in this way needs no password any more, and can use none. Owners can still use theirs: a provider out of order locks nobody out. Last changed <time></time>.
single-sign-on-remove = Remove the provider
single-sign-on-remove-full = Remove… the provider
single-sign-on-remove-consequence = Users sign in with passwords again. Those without one need an invitation.
single-sign-on-at = You sign in at <strong>{ $issuer }</strong>.
single-sign-on-continue = Continue
single-sign-on-with-password = Sign in with a password
single-sign-on-failed = Signing in has failed
single-sign-on-too-old = This sign-in was begun in another browser, or is too old.
single-sign-on-again = Try again

## Privacy

privacy-title = Privacy
privacy-back = Back to privacy
privacy-export = Export
privacy-export-hint = A file with everything of the account, for you or for another service.
privacy-export-explained = Everything of { $name }: a record per line, in JSON, with the images. Passwords and the values of tokens and keys are not in it.
privacy-several-files = It has several files. Download each, in order.
privacy-download = Download
privacy-next-file = The next file
privacy-retention = How long data is kept
privacy-retention-hint = In days; an empty field leaves it to the service. Orders and names are kept then, events and deliveries for 30 days, and an erasure takes the journal with it.
privacy-order-days = Remove orders
privacy-person-days = Blank the names of customers and employees
privacy-event-days = Keep events (7 to 30)
privacy-delivery-days = Keep the log of deliveries (7 to 30)
privacy-request-days = Show the last requests of tokens (7 to 30)
privacy-journal-days = Keep the journal after an erasure
privacy-must-be-days = must be a number of days
privacy-blank-person = Blank a person
privacy-blank-hint = The name goes from receipts, orders and events. Write the name as it is stored, or the id of one receipt or order.
privacy-person-at = Person at { $location }
privacy-blank = Blank
privacy-erase = Erase
privacy-erase-hint = Everything goes on for 30 days, in which you can take it back. Then all of it is removed for good; backups hold it until they are deleted.
privacy-erase-location = Erase the location { $name }
privacy-erase-account = Erase the whole account { $name }
privacy-write-name = Write its name, to be sure that it is meant.
privacy-must-be-name = must be the name of what is erased, as it is written above
privacy-location-erased = Erased at <time></time>: the location { $name }.
privacy-account-erased = Erased at <time></time>: the whole account { $name }.
privacy-keep = Keep { $name }

## Problems

problem-other = This did not work
problem-not-found = Not found
problem-to-overview = Go to the overview

## Users

users-title = Users
users-explained = Each person signs in with an e-mail address and a password of the own, and sees and does what the role includes.
users-add = Add user
users-back = Back to the users
users-role = Role
users-sign-in = Sign-in
users-language = Language
users-email-hint = The user signs in with it.
users-role-in-account = Role in the whole account
users-roles-at-locations = Or a role at single locations
users-no-role = None
users-by-location = By location
users-owner-explained = Owner: everything, with users and the account
users-manager-explained = Manager: everything but users and the account
users-accountant-explained = Accountant: reads sales, catalog and stock
users-developer-explained = Developer: webhooks, and tokens with any scope
users-owner = owner
users-manager = manager
users-accountant = accountant
users-developer = developer
users-role-at = { $role } at { $location }
users-must-be-chosen = must be chosen
users-role-must-be-chosen = must be chosen: one for the account, or for a location
users-invited-until = Invited until <time></time>
users-has-password = Has a password
users-not-invited = Not invited yet
users-with-second-factor = <state></state>, second factor
users-invitation = Invitation
users-invite = Invite
users-invite-hint = The link sets the password.
users-reset-password = Reset password
users-reset-password-hint = The link sets another password, and ends all sessions of this user.
users-invitation-made = Invitation made
users-invited-by-mail = A message with this link is on its way to the person. It sets the password, is good for three days and for one use, and replaces an earlier one.
users-invited-by-hand = Send this link to the person. It sets the password, is good for three days and for one use, and replaces an earlier one.
users-link = Link
users-reset-factor = Remove the second factor…
users-reset-factor-full = Remove… the second factor of { $name }
users-reset-factor-hint = For a person who has neither the app, a recovery code nor a passkey.
users-reset-factor-consequence = The password alone then signs this user in: passkeys are removed as well. All sessions of this user end at once.
users-remove = Remove { $name }
users-remove-consequence = All sessions of this user end at once. This cannot be undone.

## Tokens

tokens-about = With a token, other software uses the API at the locations and with the scopes you choose.
tokens-last-used-hint = “Last used” is exact for requests to this server. If several servers run, it may be a minute late for requests to the others.
tokens-empty = No tokens yet. Create one for each program that uses the API.
tokens-create = Create token
tokens-in-use = Tokens in use
tokens-ended = { $count } revoked or expired
tokens-ended-newest = The newest { $count } of them are shown.
tokens-ended-removed = A token is removed from this list after { $days } days.
tokens-ended-table = Revoked and expired tokens
tokens-token = Token
tokens-scopes = Scopes
tokens-everything = everything
tokens-last-used = Last used
tokens-expires = Expires
tokens-actions = Actions
tokens-never = Never
tokens-revoked-at = Revoked <time></time>
tokens-revoke = Revoke { $name }
tokens-revoke-open = Revoke…
tokens-revoke-open-of = Revoke… { $name }
tokens-revoke-consequence = Programs that use it are refused at once. This cannot be undone.
tokens-name-hint = The program that will use it. Changes made with it are shown under this name.
tokens-after-days = After { $days } days
tokens-after-year = After 1 year
tokens-days-problem = must be a number of days
tokens-scopes-problem = must be chosen: at least one, at a location
tokens-no-locations = A token is for locations, and this account has none yet. Ask the operator of this server to add one.
tokens-created = Token “{ $name }” created
tokens-try = Try it
tokens-back = Back to the tokens
tokens-requests-of = Requests of “{ $name }”
tokens-requests-about = The last 100 requests with this token since the server was started.
tokens-requests-empty = No requests with this token yet.
tokens-last-requests = Last requests
tokens-request = Request
tokens-idempotency-key = Idempotency key
tokens-request-id = Request ID

## Webhooks

webhooks-about = A webhook sends events to your endpoint as they happen: sales, orders, changes of products and stock. Each delivery is signed with the webhook's secret.
webhooks-empty = No webhooks yet.
webhooks-create = Create webhook
webhooks-edit = Edit webhook
webhooks-url = Endpoint URL
webhooks-url-hint = Must begin with https:// and be reachable from the internet.
webhooks-events = Events
webhooks-events-problem = At least one event
webhooks-locations-hint = Choose none to get the events of all locations, including those added later.
webhooks-all-locations = All
webhooks-created = Webhook created
webhooks-sent-to = Events from now on are sent to <code>{ $url }</code>.
webhooks-secret = Signing secret
webhooks-secret-hint = Your endpoint verifies the signature of each delivery with it. In Rust, the crate connect-webhook-verify does that; the webhook guide shows it for other languages.
webhooks-go-to = Go to the webhook
webhooks-back = Back to the webhook
webhooks-last-success = Last success
webhooks-last-failure = Last failure
webhooks-on = On
webhooks-off = Off
webhooks-switched-off = Switched off
webhooks-waits-for-key = Waits for its key
webhooks-failing = { $count } failed in a row
webhooks-probed = Probed: { $count } failed in a row
webhooks-off-by-failures = Switched off on <time></time> after 50 failed attempts in a row. Fix the endpoint, then switch the webhook on.
webhooks-off-by-owner = You switched it off on <time></time>.
webhooks-none-wait = Events that happen while it is off wait for up to 30 days.
webhooks-some-wait = { $count ->
    [one] One event waits, for up to 30 days.
   *[other] { $count } events wait, for up to 30 days.
}
webhooks-more-wait = More than { $count } events wait, for up to 30 days.
webhooks-unsigned = The service cannot read the secret of this webhook, as the key for it is missing. Deliveries wait; none is lost. They are sent once the operator of the service has brought the key back. If it is lost, roll the secret, and give the new one to the receiver at once: the deliveries are sent then.
webhooks-next-probe = The webhook is probed: one attempt a minute until one succeeds, the next at <time></time> or when a delivery is due after that. Its other deliveries wait, and are sent after the success.
webhooks-test = Send test event
webhooks-switch-on = Switch on
webhooks-switch-off = Switch off
webhooks-switch-on-and-send = Switch on and send waiting events
webhooks-switch-on-without = Switch on without waiting events
webhooks-switch-on-without-open = Switch on without waiting events…
webhooks-switch-on-without-short = Switch on without…
webhooks-switch-on-without-consequence = Waiting events are dropped. They stay in the event feed, and each can be sent again.
webhooks-change = Edit
webhooks-roll = Roll secret
webhooks-roll-open = Roll secret…
webhooks-roll-consequence = Deliveries are signed with the new secret, and for 24 hours with the one before as well.
webhooks-roll-title = New secret of a webhook
webhooks-rolled = For 24 hours deliveries are signed with the new secret and with the one before, so that the receiver can be given the new one in the meantime.
webhooks-rolled-lost = Deliveries that have waited are sent now, signed with the new secret alone. Give it to the receiver at once.
webhooks-new-secret = The new secret
webhooks-delete = Delete webhook
webhooks-delete-open = Delete webhook…
webhooks-delete-consequence = Deliveries that are waiting are not sent. This cannot be undone.

## Deliveries of webhooks

webhooks-recent = Recent deliveries
webhooks-deliveries = Deliveries
webhooks-none-sent = Nothing was sent yet. A test is sent within a minute.
webhooks-none-older = There are no older deliveries.
webhooks-older = Older deliveries
webhooks-event = Event
webhooks-result = Result
webhooks-answer = Answer
webhooks-attempts = Attempts
webhooks-action = Action
webhooks-made = Made
webhooks-webhook = Webhook
webhooks-in-ms = in { $ms } ms
webhooks-delivered = Delivered
webhooks-given-up = Given up
webhooks-waiting = Waiting
webhooks-next-attempt = next attempt <time></time>
webhooks-replaced = a newer one took its place
webhooks-sent-again = sent again
webhooks-resend = Send again
webhooks-given-up-since = Deliveries that were given up since
webhooks-resend-all = Send all again
webhooks-left = At least { $count } are left.
webhooks-since-problem = must be a date and a time, such as 2026-11-20T09:15
webhooks-delivery-of = Delivery of { $event }
webhooks-answered = <time></time>: answered { $status } in { $ms } ms
webhooks-unanswered = <time></time>: no answer in { $ms } ms
webhooks-event-removed = The event is older than 30 days and was removed.

## Screens

screens-about = Registers write sales, kiosks and Scan & Order pages write orders, each with a key of its own. The API is available as long as there is at least one screen.
screens-none = The API is not available, because there is no screen: every call is answered with <code>api_not_available</code>. Add one below.
screens-rename = Rename screens and locations
screens-add = Add screen
screens-no-locations = A screen belongs to a location, and this account has none yet. Ask the operator of this server to add one.
screens-name-hint = Such as “Till 1” or “Kiosk at the door”.
screens-type = Type
screens-kiosk = Order kiosk
screens-scan-and-order = Scan & Order page
screens-unchosen = must be chosen
screens-no-key = No key
screens-key-created-at = Created <time></time>
screens-create-key = Create key
screens-create-key-for = Create key for { $name }
screens-key-created = Key created
screens-former-key = If the screen had a key before, that is refused from now on.
screens-replace-key = Replace key of { $name }
screens-replace-key-open = Replace key…
screens-replace-key-open-of = Replace key… of { $name }
screens-replace-key-consequence = The key that it has now is refused at once.
screens-revoke-key = Revoke key of { $name }
screens-revoke-key-open = Revoke key…
screens-revoke-key-open-of = Revoke key… of { $name }
screens-revoke-key-consequence = The screen cannot write until it has another key.
screens-remove = Remove { $name }
screens-remove-open = Remove…
screens-remove-open-of = Remove… { $name }
screens-remove-consequence = Its records stay. Its key is refused at once.
screens-back = Back to the screens

## Names

names-title = Names
names-about = Receipts, orders and movements of stock keep the name of the time when they were written.
names-no-screens = This account has no screens yet.
names-add-screen = Add a screen
names-name-of = Name of { $name }
names-rename = Rename
names-rename-of = Rename { $name }

## Activity

activity-about = Who changed what: the changes by people, and those of prices, names and stock counts by other software. Sales are in the journal. Entries are kept for { $days } days.
activity-none = There is nothing here.
activity-none-so-far = Nothing was found so far. The next page continues the search.
activity-older = Older changes
activity-kind = About
activity-kind-any = Everything
activity-find = Find
activity-all = All changes
activity-who = Who
activity-what = What
activity-more = And { $count } more.
activity-operator = The operator
activity-service = The service
activity-former-user = A former user
activity-token = Token { $name }
activity-screen = Screen { $name }
activity-change = <a>{ $object }</a>: { $action }
activity-change-at = <a>{ $object }</a>: { $action } at { $location }
activity-value = { $field }: { $value }
activity-values = { $field }: { $before } → { $after }
activity-hidden = { $field }: changed
activity-no-value = none
activity-yes = yes
activity-no = no
activity-action-create = new
activity-action-change = changed
activity-action-delete = deleted
activity-action-roll = roll
activity-action-test = test
activity-action-resend = resend
activity-action-export = export
activity-action-erase = erase
activity-action-blank = blank
activity-action-blank-orders = blank orders
activity-action-blank-receipts = blank receipts
activity-action-purge-orders = purge orders
activity-action-use = use
activity-object-product = product
activity-object-category = category
activity-object-option-group = option group
activity-object-option = option
activity-object-location = location
activity-object-screen = screen
activity-object-screen-key = screen key
activity-object-token = token
activity-object-webhook = webhook
activity-object-user = user
activity-object-sign-in = sign-in
activity-object-passkey = passkey
activity-object-single-sign-on = single sign-on
activity-object-invitation = invitation
activity-object-session = session
activity-object-account = account
activity-object-sandbox = sandbox
activity-field-name = Name
activity-field-price = Price
activity-field-stock = Stock
activity-field-external-id = External id
activity-field-description = Description
activity-field-vat-rate = Vat rate
activity-field-barcode = Barcode
activity-field-category-id = Category id
activity-field-is-active = Is active
activity-field-is-available = Is available
activity-field-available-from = Available from
activity-field-available-until = Available until
activity-field-image-url = Image url
activity-field-option-group-ids = Option group ids
activity-field-position = Position
activity-field-min-select = Min select
activity-field-max-select = Max select
activity-field-sandbox = Sandbox
activity-field-requires-second-factor = Requires second factor
activity-field-erasures = Erasures
activity-field-retention = Retention
activity-field-currency = Currency
activity-field-type = Type
activity-field-location-id = Location id
activity-field-location-ids = Location ids
activity-field-email = Email
activity-field-language = Language
activity-field-roles = Roles
activity-field-second-factor = Second factor
activity-field-single-sign-on = Single sign on
activity-field-grants = Grants
activity-field-expires-at = Expires at
activity-field-revoked-at = Revoked at
activity-field-prefix = Prefix
activity-field-url = Url
activity-field-events = Events
activity-field-switched-off = Switched off
activity-field-enabled-at = Enabled at
activity-field-password = Password
activity-field-password-set-at = Password set at
activity-field-added-at = Added at
activity-field-issuer = Issuer
activity-field-client-id = Client id
activity-field-client-secret = Client secret
activity-field-rows = Rows

## Sandbox

sandbox-about = Nothing here is real. Each button acts as a shop would, with all consequences: sums, stock, events and webhooks.
sandbox-sale = Sell something
sandbox-sale-effect = A register writes a sale.
sandbox-refund = Take the last sale back
sandbox-refund-effect = The register writes a refund.
sandbox-z-report = Close the register
sandbox-z-report-effect = The register writes a Z report.
sandbox-order = Order something
sandbox-order-effect = A kiosk makes an order.
sandbox-order-step = Move an order on
sandbox-order-step-effect = The order that is furthest on its way takes a step.
sandbox-day = A day of trade
sandbox-day-effect = Sales, refunds and orders from 9 to 19, today up to now, and a Z report.
sandbox-day-of = of
sandbox-today = today
sandbox-yesterday = yesterday
sandbox-days-ago = { $days } days ago
sandbox-clock = The clock
sandbox-time = Here it is <time></time>.
sandbox-time-ahead = Here it is <time></time>, ahead of the real time.
sandbox-advance = Put the clock ahead
sandbox-advance-by = by
sandbox-by-minute = a minute
sandbox-by-hour = an hour
sandbox-by-day = a day
sandbox-by-week = a week
sandbox-by-days = { $days } days
sandbox-advance-effect = Put ahead, tokens and sessions expire, retries of webhooks come due, and days end. It does not go back.
sandbox-advance-hint = For all shops of this server. After a week you have to sign in again.
sandbox-no-advance = It cannot be put ahead: this server has a live account, whose time would move too.
sandbox-unknown = there is no simulation of this name; use the buttons of the page

## Overview

overview-id = ID
overview-currency = Currency
overview-categories = Categories
overview-option-groups = Option groups
overview-stored = Stored
overview-of = { $used } of { $most }
overview-uncounted = Not counted yet
overview-no-screen = The API is not available, because this account has no screen: no register, kiosk or Scan & Order page. Until you <a>add one</a>, every call is answered with <code>api_not_available</code>.
overview-near-limit = This account has almost reached a storage limit. Writes beyond it are refused with <code>limit_reached</code>: delete records that you do not need, or ask the operator of this server for more. Deleting frees the room of events after 30 days.
overview-locations = Locations
overview-no-locations = This account has no locations yet. Ask the operator of this server to add one.
overview-api-address = API address
overview-api-reference = API reference
