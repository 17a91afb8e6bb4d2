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
notice-clock-advanced = The clock was put ahead. Work that is now due is done within a moment.
notice-email-changed = Your e-mail address was changed. Use it from the next sign-in on.
notice-erasure-planned = The erasure is planned. Until its time, you can take it back here.
notice-erasure-taken-back = Nothing of it is erased.
notice-key-revoked = The key of the screen is refused from now on.
notice-name-changed = The name was changed. Earlier records keep the former name.
notice-no-person-found = No record has this name or id. A name has to be written as it is stored.
notice-password-changed = The password was changed. You are signed out everywhere else.
notice-password-set = Your password is set, and you are signed in.
notice-passkey-added = Your passkey was added. Try it at your next sign-in, before you need it.
notice-passkey-removed = The passkey was removed. You are signed out everywhere else. Delete it from your device as well.
notice-person-blanked = The name is gone from the receipts, orders and events that had it.
notice-ping-queued = A test is on its way. Reload the page in a moment to see its result.
notice-products-changed = The products were changed.
notice-provider-removed = The provider was removed. Users sign in with passwords.
notice-provider-set = The provider was saved. Try the sign-in address before you tell your users.
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
notice-stock-counted = The count was saved. You can count the next product.
notice-stock-entered = The stock was changed.
notice-stock-same = The stock agrees with the count.
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
frame-close = Close
frame-navigation = Dashboard
frame-sign-out = Sign out
frame-sandbox-banner = This is a sandbox: nothing in it is real. <a>Simulate a sale, an order or a day of trade</a>
frame-deliveries-banner = Deliveries are off: webhooks and e-mail are not sent, and images are not downloaded. This is a copy of a shop, or one that was restored and is not in use yet.
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
field-code = { word-code }
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
word-action = Action
word-actions = Actions
word-address = Address
word-all = All
word-barcode = Barcode
word-by = By
word-deliveries = Deliveries
word-find = Find
word-last-used = Last used
word-locations = Locations
word-must-be-chosen = must be chosen
word-must-be-days = must be a number of days
word-never = Never
word-quantity = Quantity
word-receipts = Receipts
word-remove-of = Remove { $name }
word-remove-open = Remove…
word-remove-open-of = Remove… { $name }
word-turnover = Turnover
word-what = What

## Forms sent twice

once-title = This was already done
once-explained = You sent this form before, so nothing was done this time. { $advice }
once-token = If you did not see the token, revoke it and create another one.
once-webhook = If you did not see the webhook's secret, open the webhook and roll its secret.
once-webhook-secret = If you did not see the new secret, open the webhook and roll its secret again.
once-screen = If the screen is not in the list, fill in the form again.
once-screen-key = If you did not see the key, replace it by another one.
once-sandbox = To have the same happen once more, press the button on the page as it is now.
once-stock = Look at the product's movements before you fill in the form again.
once-user = If the user is not in the list, fill in the form again.
once-invitation = If you did not see the link, make another invitation.
once-recovery-codes = If you did not see the recovery codes, make new ones.
once-to-tokens = Go to the tokens
once-to-webhooks = Go to the webhooks
once-to-screens = Go to the screens
once-to-sandbox = Go to the sandbox
once-to-stock = Go to the stock
once-to-users = Go to the users
once-to-second-factor = Go to the second factor

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
period-before = Previous
period-after = Next
period-all = All

## Today

today-average = Average receipt
today-refunds = Refunds
today-refund-count = { $count ->
    [one] 1 receipt
   *[other] { $count } receipts
}
today-discounts = Discounts
today-hour = Hour
today-article = { $name } × { $quantity }
today-best = Highest turnover
today-worst = Lowest turnover
today-missing-days = { $days ->
    [one] The products of 1 day are not summed up yet. Reload the page to add them.
   *[other] The products of { $days } days are not summed up yet. Reload the page for more of them.
}
today-locations = Locations side by side
before-day = Same day a week before
so-far-day = Same time a week before
before-week = Week before
so-far-week = Week before, to the same time
before-month = Month before
so-far-month = Month before, to the same time
before-year = Year before
so-far-year = Year before, to the same time
chart-table = As a table
chart-bar = { $name }: { $amount }

## Shop

shop-next-page = Next page
shop-nowhere = This account has no location yet. Ask the operator of this server to add one.
shop-nothing-so-far = Nothing was found so far. The next page continues the search.
shop-nothing-more = There is nothing more.
shop-sales = Sales
shop-payments = Payments
shop-number = Number
shop-counted = Counted
shop-means-cash = Cash
shop-means-card = Card
shop-means-voucher = Voucher
shop-means-invoice = Invoice
shop-means-other = Other

## Journal

journal-z-reports = { problem-word-z-reports }
journal-nothing-sold = Nothing was sold yet.
journal-nothing-sold-then = Nothing was sold in this period.
journal-receipt = Receipt
journal-receipt-title = { $kind } { $number }
journal-sale = Sale
journal-refund = Refund
journal-opening-float = Opening float
journal-cash-in = Cash in
journal-cash-out = Cash out
journal-refund-of = Refund of
journal-the-sale = the sale
journal-back = Back to the journal
journal-no-closing = No register was closed yet.
journal-closed = Closed
journal-cash-expected = Cash expected
journal-difference = Difference

## Orders

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

products-none-yet = There is no product yet. Other software adds them through the API.
products-none = No product matches.
products-search = Name, code or barcode
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
stock-delivered = Delivered
stock-corrected = Corrected
stock-sold = Sold
stock-taken-back = Taken back
stock-enter = Enter
stock-enter-of = Enter the stock of { $product }
stock-enter-title = Enter stock
stock-link = { $quantity } in stock: { $product }
stock-untracked = Not tracked yet
stock-untracked-of = Not tracked yet: { $product }
stock-kind = Kind
stock-kind-count = Count: this is all there is
stock-kind-delivery = Delivery: this came in
stock-kind-correction = Correction: this is added, or taken away with a minus sign
stock-quantity-hint = With at most three decimals, such as 2.5.
stock-note-hint = The reason. A correction needs one.
stock-must-be-quantity = must be a number such as 12 or 0.5, with at most three decimals
stock-must-give-reason = must say why, for a correction
stock-changed-meanwhile = the stock has changed meanwhile, by another count, a delivery or a sale; look at the level on this page and at your count, and save again
stock-sheet = Count sheet
stock-code = Barcode or code
stock-code-unknown = must be that of a product; none has { $code }
stock-to-products = Look among the products
stock-several = Several products have the code { $code }. Choose one:
stock-counted-today = Counted today
stock-none-counted = No count of today was found.

## Account

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
account-signed-in = Signed in
account-unknown-browser = Unknown
account-this-browser = This browser
account-end = End
account-end-others = End all other sessions
account-back = Back to the account
account-remove-heading = Remove

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
passkeys-remove = Remove the passkey
passkeys-remove-consequence = It no longer signs you in. You are signed out everywhere else.
passkeys-name = Name of the passkey
passkeys-name-hint = Such as the device that keeps it: My phone.
passkeys-not-needed = You sign in through the provider of your company, and need none.
passkeys-go-on = Go on
passkeys-make = Make the passkey
passkeys-press-button = Press the button. Your browser then asks for the device, and for your fingerprint, face or PIN.
passkeys-need-address = Passkeys need an address with HTTPS and a host name, and this dashboard is at { $address }. Its operator can set another one (--admin-url).
passkeys-need-script = Passkeys need scripts. Allow them on this page: it has one, of this server.
passkeys-cancelled = This was cancelled, or took too long. Try again.
passkeys-present = This device has a passkey for you already.
passkeys-not-allowed = The browser allows no passkeys at this address. Ask the operator of this server.
passkeys-failed = The browser could not do it: { $problem }
passkeys-elsewhere = Passkeys work at one address alone. Open this page at { $address }
passkeys-old-browser = This browser is too old for passkeys. Update it, or use another one.

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
single-sign-on-issuer-hint = The address of the provider, such as https://login.example.com/realms/shop.
single-sign-on-client-secret-hint = It is stored encrypted, and never shown.
single-sign-on-present-secret-hint = It is stored encrypted, and never shown. Leave it empty to keep the present one.
single-sign-on-address = Sign-in address
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

## Pages of errors

problem-other = This did not work
problem-not-found = Not found
problem-to-overview = Go to the first page

## Users

users-explained = Each person signs in with an e-mail address and a password of their own, and sees and does what the role includes.
users-add = Add user
users-back = Back to the users
users-role = Role
users-sign-in = Sign-in
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
users-role-must-be-chosen = must be chosen: one for the account, or for a location
users-invited-until = Invited until <time></time>
users-has-password = Has a password
users-not-invited = Not invited yet
users-with-second-factor = <state></state>, second factor
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
users-remove-consequence = All sessions of this user end at once. This cannot be undone.

## Tokens

tokens-about = With a token, other software uses the API at the locations and for the tasks you choose.
tokens-last-used-hint = “Last used” is exact for requests to this server. If several servers run, it may be a minute late for requests to the others.
tokens-empty = No tokens yet. Create one for each program that uses the API.
tokens-create = Create token
tokens-ended = { $count } revoked or expired.
tokens-ended-newest = The newest { $count } of them are shown.
tokens-ended-removed = A token is removed from this list after { $days } days.
tokens-expires = Expires
tokens-revoked-at = Revoked <time></time>
tokens-revoke = Revoke { $name }
tokens-revoke-open = Revoke…
tokens-revoke-open-of = Revoke… { $name }
tokens-revoke-consequence = Programs that use it are refused at once. This cannot be undone.
tokens-name-hint = The program that will use it. Changes made with it are shown under this name.
tokens-after-days = After { $days } days
tokens-after-year = After 1 year
tokens-scopes-problem = must be chosen: at least one, at a location
tokens-no-locations = A token is for locations, and this account has none yet. Ask the operator of this server to add one.
tokens-created = Token “{ $name }” created
tokens-try = Try it
tokens-back = Back to the tokens
tokens-requests-empty = No requests with this token yet.
tokens-last-requests = Last requests
tokens-all-requests = All requests of this token
tokens-used-from = from { $address }
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
webhooks-events-problem = At least one event
webhooks-locations-hint = Choose none to get the events of all locations, including those added later.
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
webhooks-none-sent = Nothing was sent yet. A test is sent within a minute.
webhooks-none-older = There are no older deliveries.
webhooks-older = Older deliveries
webhooks-event = Event
webhooks-answer = Answer
webhooks-attempts = Attempts
webhooks-made = Made
webhooks-webhook = Webhook
webhooks-delivered = Delivered
webhooks-given-up = Given up
webhooks-waiting = Waiting
webhooks-next-attempt = next attempt <time></time>
webhooks-replaced = a newer one took its place
webhooks-sent-again = sent again
webhooks-resend = Send again
webhooks-given-up-since = Deliveries that were given up since
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
activity-older = Older changes
activity-kind = About
activity-kind-any = Everything
activity-all = All changes
activity-who = Who
activity-more = And { $count } more.
activity-operator = The operator
activity-service = The service
activity-former-user = A former user
activity-token = Token { $name }
activity-screen = Screen { $name }
activity-change = <a>{ $object }</a>: { $action }
activity-change-at = <a>{ $object }</a>: { $action } at { $location }
activity-value = { $field }: { $value }
activity-no-value = none
activity-yes = yes
activity-no = no
activity-action-create = new
activity-action-change = changed
activity-action-delete = deleted
activity-action-roll = new secret
activity-action-test = tested
activity-action-resend = { webhooks-sent-again }
activity-action-export = exported
activity-action-erase = erased
activity-action-blank = name removed
activity-action-blank-orders = names removed from orders
activity-action-blank-receipts = names removed from receipts
activity-action-purge-orders = old orders removed
activity-action-use = used
activity-object-product = { problem-word-product }
activity-object-category = { problem-word-category }
activity-object-option-group = option group
activity-object-option = option
activity-object-location = { problem-word-location }
activity-object-screen = { problem-word-screen }
activity-object-screen-key = screen key
activity-object-token = { problem-word-token }
activity-object-webhook = { problem-word-webhook }
activity-object-user = { problem-word-user }
activity-object-sign-in = sign-in
activity-object-passkey = passkey
activity-object-single-sign-on = single sign-on
activity-object-invitation = invitation
activity-object-session = session
activity-object-account = account
activity-object-sandbox = sandbox
activity-field-name = { word-name }
activity-field-price = { word-price }
activity-field-stock = { section-stock }
activity-field-external-id = { word-code }
activity-field-description = Description
activity-field-vat-rate = { word-vat }
activity-field-barcode = { word-barcode }
activity-field-category-id = { word-category }
activity-field-is-active = { products-for-sale }
activity-field-is-available = Available
activity-field-available-from = Available from
activity-field-available-until = Available until
activity-field-image-url = Image
activity-field-option-group-ids = { overview-option-groups }
activity-field-position = Position
activity-field-min-select = Fewest choices
activity-field-max-select = Most choices
activity-field-sandbox = { section-sandbox }
activity-field-requires-second-factor = Second factor demanded
activity-field-erasures = Planned erasures
activity-field-retention = How long data is kept
activity-field-currency = { overview-currency }
activity-field-type = { screens-type }
activity-field-location-id = { word-location }
activity-field-location-ids = { word-locations }
activity-field-email = { word-email }
activity-field-language = { field-language }
activity-field-roles = { field-roles }
activity-field-second-factor = { second-factor-title }
activity-field-single-sign-on = { single-sign-on-title }
activity-field-grants = { tokens-tasks }
activity-field-expires-at = { tokens-expires }
activity-field-revoked-at = Revoked
activity-field-prefix = Begins with
activity-field-url = URL
activity-field-events = { field-events }
activity-field-switched-off = { webhooks-switched-off }
activity-field-enabled-at = Switched on
activity-field-password = { word-password }
activity-field-password-set-at = Password set
activity-field-added-at = { passkeys-added }
activity-field-issuer = { field-issuer }
activity-field-client-id = { field-clientId }
activity-field-client-secret = { field-clientSecret }
activity-field-rows = Records
activity-author-any = Everyone
activity-author-unknown = A former user, token or screen
activity-only = Only the changes of: { $object }
activity-fields = Changed fields
activity-field = Field
activity-before = Before
activity-after = After
activity-field-value = Value
activity-not-shown = changed, not shown
activity-action-session-create = signed in
activity-action-session-delete = ended
activity-off-failures = by failed deliveries
activity-off-owner = by the owner
activity-whole-account = the whole account
activity-days = { $count ->
    [one] 1 day
   *[other] { $count } days
}
activity-retention-order-days = { problem-word-orders }
activity-retention-person-days = names of customers and employees
activity-retention-event-days = events
activity-retention-delivery-days = log of deliveries
activity-retention-request-days = last requests of tokens
activity-retention-journal-days = journal after an erasure

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
sandbox-advance-effect = When the clock is put ahead, tokens and sessions expire, retries of webhooks come due, and days end. It does not go back.
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
overview-no-locations = This account has no locations yet. Ask the operator of this server to add one.
overview-api-address = API address
overview-api-reference = API reference

## Fields of problems without a form field

field-name = { word-name }
field-email = E-mail
field-password = { word-password }
field-currentPassword = Current password
field-passkey = Passkey
field-provider = Provider
field-user = User
field-session = Session
field-token = Token
field-invitation = Invitation
field-secondFactor = { second-factor-title }
field-requiresSecondFactor = { second-factor-title }
field-roles = Roles
field-language = Language
field-issuer = Issuer
field-clientId = Client ID
field-clientSecret = Client secret
field-url = { word-address }
field-events = Events
field-locationId = { word-location }
field-locationIds = { word-locations }
field-expiresAt = Expiry
field-ids = { section-products }
field-change = Change
field-categoryId = { word-category }
field-priceCents = { word-price }
field-vatRate = { word-vat }
field-daysAgo = { period-day }
field-advanceBySeconds = Advance
field-from = From
field-to = To

## Problems

problem-length = must have 1 to { $most } characters, not { $count }
problem-too-long = must have at most { $most } characters
problem-too-short = must have at least { $least } characters
problem-missing = is missing
problem-required = is required
problem-empty = must not be empty
problem-one-line = must be one line of at most { $most } characters
problem-control-characters = must not have control characters (U+{ $code })
problem-hidden-characters = must not have hidden characters (U+{ $code }); type it again
problem-hidden-characters-in-name = must not have hidden characters (U+{ $code }); type the name again without it
problem-invisible-characters = must not have invisible characters (U+{ $code })
problem-white-space = must not have white space, control characters or backslashes
problem-email = must be an e-mail address, such as name@example.com
problem-link = must be an absolute link
problem-link-such-as = must be an absolute link such as https://example.com/bread.jpg
problem-link-scheme = must start with https://
problem-link-scheme-or-network = must start with https:// unless it leads into a network that the server allows
problem-link-port = must not name a port
problem-link-port-or-network = must not name a port unless it leads into a network that the server allows
problem-link-user = must not have a user name or password
problem-link-with-user = must not contain a user name or password
problem-link-host = must name a host
problem-link-host-unknown = must lead to a host that can be found
problem-link-public = must lead to a public address on the internet
problem-link-not-public = does not lead to a public address on the internet
problem-link-unchecked = cannot be checked right now: try again in a minute
problem-link-query = must have no query and no fragment
problem-range = must be from { $least } to { $most }, not { $number }
problem-percentage = must be a percentage from 0 to 100 with at most two decimals, such as 9 or 5.5
problem-percentage-not = must be a percentage from 0 to 100, not { $sent }
problem-quantity = must be a number of at most 1000000000 either way with at most three decimals
problem-zero = must not be 0
problem-delivery-below-zero = must be above 0 for a delivery, not { $number }; take goods away by a correction
problem-stock-range = the stock is { $number }, and has to stay from -{ $least } to { $most }
problem-decimals = must be a number with at most { $digits } fraction digits, not { $sent }
problem-whole = must be a whole number from 0 to { $most }
problem-whole-seconds = must be a whole number of seconds from { $least } to { $most }, which is 31 days
problem-date = must be a date of the form YYYY-MM-DD, such as 2026-11-20
problem-date-or-time = must be a date such as 2026-11-20 or a time such as 2026-11-20T09:15:30Z
problem-timestamp = must be an RFC 3339 timestamp, such as 2026-11-20T09:15:30Z
problem-order-of-days = must not be later than to
problem-one-of = must be one of { $known }, not { $sent }
problem-in-future = must be in the future
problem-days = must be { $least } to { $most } days
problem-repeated = repeats an earlier one
problem-repeated-location = repeats an earlier location
problem-no-location = is no location of this account
problem-one-scope = must have at least one scope
problem-scopes-once = must have each scope once
problem-no-scope = has no scope { $scope }
problem-no-fields = must have at least one field
problem-products = must name 1 to { $most } products, not { $count }
problem-products-owner = only the owner of the account changes products in bulk; send a batch instead
problem-at-other-location = { $word } { $id } belongs to another location
problem-not-at-location = there is no { $word } { $id } at this location
problem-not-in-account = there is no { $word } { $id } in this account
problem-not-there = there is no { $word } { $id }
problem-no-account = there is no account { $id }
problem-no-location-there = there is no { $word } { $id }; `connect-server location list` lists them
problem-no-token-there = there is no { $word } { $id }; `connect-server token list` lists them
problem-most = this account has { $most } { $word }, the maximum; { $verb } one first
problem-room-of-location = this location has { $count } { $word }, and may have { $most }; delete { $word } that are not needed, or ask the operator of the server for more
problem-room-of-account = this account stores { $count } bytes, and may store { $most }; delete records that are not needed, or ask the operator of the server for more
problem-lacks-right = your role does not include this; ask an owner of the account
problem-lacks-right-everywhere = you have this right only at some locations; ask an owner of the account
problem-lacks-second-factor = this account demands a second factor: add one to your sign-in first, on the page Account
problem-operator-only = only the operator of this server may do this
problem-email-of-other = is the address of another user of this account
problem-email-taken = is not available; choose another address
problem-user-is-self = is you: change the own address and password with the current password
problem-role-alone = for the whole account, a role must be the only one
problem-role-owner = owner is a role for the whole account, not for a location
problem-last-owner = this is the last owner of the account; make another user an owner first
problem-wrong = is wrong
problem-wrong-password = is wrong, or the e-mail address is; ask for another invitation if it is lost
problem-weak-password = is easy to guess: a common password, or a word, a date or a row of keys with little around it; choose three or four unrelated words
problem-weak-password-of-names = is easy to guess from the names of your business, its locations or its people; choose three or four words unrelated to them
problem-too-many-attempts = too many attempts; wait { $seconds } seconds
problem-too-many-sign-ins = too many sign in at this moment; wait { $seconds } seconds
problem-too-many-requests = too many { $word } ({ $most } a minute); wait { $seconds } seconds
problem-session-ended = has ended; sign in again
problem-token-ended = { $problem }; ask the owner of the shop for a token
problem-gone = no longer exists
problem-code-wrong = is wrong; type the six digits that the app shows now, and check the clock of your phone
problem-code-used = was used before; wait for the next one
problem-code-of-no-app = is for no app; begin again
problem-code-recovery = is no unused recovery code
problem-code-too-many = cannot be checked after too many wrong ones today; use a recovery code, or try again tomorrow
problem-code-no-key = the server has lost the key of its secrets, and can check no codes; use a recovery code, or ask its operator
problem-factor-there = is there already; remove it before you add another one
problem-factor-not-there = is not there
problem-factor-locks-out = would lock you out; add a second factor to your own sign-in first
problem-passkey-there = is there already
problem-passkey-gone = is not there, or was removed before
problem-passkey-most = is one too many: you have { $most }; remove one first
problem-passkey-not-begun = was not begun, or took too long; begin again
problem-passkey-unknown = is not known here; use another one, or sign in with your password and another factor
problem-passkey-late = was asked for too long ago, or was used since; try again
problem-passkey-elsewhere = is of another service; choose one for this dashboard
problem-passkey-unreadable = was not sent as browsers send it; try again, with another browser if that fails too
problem-passkey-copied = may have been copied; sign in in another way, or ask an owner or the operator, and remove it
problem-passkey-other-address = was used at another address than the dashboard has for its users; open it there
problem-passkey-changed = has changed on its device since; remove it, and add it again
problem-passkey-unverified = needs the fingerprint, face or PIN of its device
problem-passkey-refused = was not accepted; try again
problem-provider-needed = is the way to sign in: use the address of your company's sign-in
problem-provider-needs-no-password = signs in through the account's provider, and needs no password
problem-provider-none = this account has no such provider; sign in with your password
problem-provider-no-key = the server has lost the key of its secrets, and cannot reach your provider; sign in with your password, or ask its operator
problem-provider-spaces = has a name with spaces around it at the provider
problem-provider-no-email = has no e-mail address that the provider has verified; ask its administrator
problem-provider-linked = is linked with another person of the provider; ask an owner of the account to remove the user and add it again
problem-provider-no-user = is no user of this account; ask an owner to add you with the address that your provider has
problem-provider-no-answer = your provider gives no usable answer: { $problem }
problem-provider-refused = your provider has refused: { $problem }
problem-provider-invalid = the answer of your provider is not valid: { $problem }
problem-provider-other-sign-in = it is for another sign-in; begin again
problem-provider-other = it is from another provider
problem-provider-unnamed = it does not name the provider
problem-provider-no-endpoint = it has no token endpoint
problem-provider-no-id-token = it has no id token
problem-provider-too-large = its answer is too large
problem-provider-too-slow = it takes too long
problem-provider-address = its address { $problem }
problem-provider-host = its host is not found
problem-provider-host-later = its host could not be looked up; try again
problem-provider-unreached = it takes no connection
problem-provider-certificate-expired = its TLS certificate has expired
problem-provider-certificate-other = its TLS certificate is for another host name
problem-provider-certificate-untrusted = its TLS certificate is not trusted
problem-provider-tls = TLS with it failed
problem-provider-not-http = its answer is not valid HTTP
problem-provider-broke-off = the connection to it broke off
problem-no-mail = this server sends no mail; ask an owner of your account, or the operator of this server, for a new invitation
problem-invitation-ended = was replaced, used or has expired; ask for another one, or sign in
problem-no-secret-key = this server has no key to store a secret with; its operator can bring back the file of keys, or make a new key with `connect-server secrets rotate`
problem-webhook-off = this webhook is switched off; switch it on first
problem-test-location = this account has no location for a test of this type; send a ping
problem-delivery-gone = webhook { $webhook } has no delivery { $delivery }; they are kept for 30 days
problem-event-gone = the event of this delivery is older than 30 days and was removed
problem-endpoint-too-slow = The endpoint did not answer within { $seconds } seconds.
problem-endpoint-redirects = The endpoint answered { $status }. Redirects are not followed: enter the address that it redirects to.
problem-endpoint-status = The endpoint answered { $status }. It must answer 200 to 299.
problem-endpoint-no-event = The event no longer exists.
problem-endpoint-event-damaged = The event cannot be read.
problem-endpoint-no-address = The address is not a web address.
problem-endpoint-address = The address { $problem }.
problem-endpoint-host = The host of the address was not found.
problem-endpoint-unreached = The endpoint took no connection.
problem-endpoint-certificate-expired = The TLS certificate of the endpoint has expired.
problem-endpoint-certificate-other = The TLS certificate of the endpoint is for another host name.
problem-endpoint-certificate-untrusted = The TLS certificate of the endpoint is not trusted: it may be self-signed, or the endpoint does not send the intermediate certificates.
problem-endpoint-tls = There was no secure connection to the endpoint: TLS failed.
problem-endpoint-not-http = The answer of the endpoint is not valid HTTP, or has too many headers.
problem-endpoint-broke-off = The connection broke off before the whole answer of the endpoint had arrived.
problem-erasure-none = no erasure of it is planned
problem-erasure-begun = its grace time is over, and it is being erased
problem-export-place = this is no place of the export of this account. If a location or a webhook was removed meanwhile, begin again
problem-server-saves-nothing = the server cannot save anything at the moment, and this request has saved nothing; { $problem }
problem-server-failed = the server could not do this now; { $problem }
problem-server-damaged = a record that this request needs is damaged; the operator of the server finds it with `connect-server check`
problem-try-later = try again later
problem-try-after-check = check whether it was done, and try again if it was not
problem-sandbox-screen-name = is that of a simulated screen of the sandbox; choose another one
problem-sandbox-none = this account is no sandbox: nothing is simulated in it
problem-sandbox-no-product = nothing is for sale at this location: add a product with a price first
problem-sandbox-no-order = no order is open: simulate one first
problem-sandbox-no-sale = there is no sale that could be taken back: simulate one first
problem-sandbox-live-account = this server has a live account, whose time would move too; use a server whose accounts are all sandboxes
problem-sandbox-clock-end = the clock is ten years ahead, which is as far as it goes; begin with another data folder
problem-word-product = product
problem-word-category = category
problem-word-order = order
problem-word-transaction = transaction
problem-word-z-report = Z report
problem-word-location = location
problem-word-screen = screen
problem-word-token = token
problem-word-user = user
problem-word-webhook = webhook
problem-word-products = products
problem-word-categories = categories
problem-word-orders = orders
problem-word-transactions = transactions
problem-word-z-reports = Z reports
problem-word-stock-movements = stock movements
problem-word-screens = screens
problem-word-tokens = tokens
problem-word-users = users
problem-word-webhooks = webhooks
problem-word-in-use = { $word } in use
problem-word-requests-of-user = requests of this user
problem-word-requests-of-address = requests of this address that need no token
problem-word-requests-refused = requests of this address without a valid token or key
problem-word-delete = delete
problem-word-remove = remove
problem-word-revoke = revoke

## Tables
file-separator = ,
table-save = Save as a CSV file
table-part = Sorted within this page.
table-too-long = A file has at most { $most } rows. Choose a narrower filter

## Requests
section-requests = Requests
requests-about = The last 500 requests of each token, at most 30 days old. If you ask the maker of the software for help, pass on the request ID: it is in the answer to the request, too.
requests-none = No request matches.
request-outcome-done = Done
request-outcome-refused = Refused
request-outcome-failed = Failed
requests-text = Request ID, key or path
requests-client = From
## Tasks of tokens

scope-pos-read = Read sales
scope-allows-pos-read = Receipts, Z reports and the turnover of each day.
scope-catalog-read = Read the catalog
scope-allows-catalog-read = Categories, products with their prices, and option groups.
scope-catalog-write = Change the catalog
scope-allows-catalog-write = Add, change and delete categories, products and option groups.
scope-stock-read = Read stock
scope-allows-stock-read = Levels of stock, and how they came about.
scope-stock-write = Change stock
scope-allows-stock-write = Count stock, and enter deliveries and corrections.
scope-orders-read = Read orders
scope-allows-orders-read = Orders of customers at kiosks and by Scan & Order.
tokens-tasks = Tasks
tokens-tasks-of = Tasks at { $location }
tokens-tasks-at = { $tasks } (at { $location })
tokens-tasks-at-some = { $tasks } (at { $count } locations)
tokens-all-locations = All locations
tokens-all-locations-hint = The same tasks at each location you have now. A location added later needs another token.
tokens-single-locations = Tasks at single locations
tokens-made = Created
tokens-status-in-use = In use
tokens-status-expires-in = { $days ->
    [one] Expires in 1 day
   *[other] Expires in { $days } days
}
tokens-status-expired = Expired
tokens-status-revoked = Revoked
tokens-presets = Begin with the tasks of a common kind of program. You can change them before you create the token.
tokens-preset-bookkeeping = Bookkeeping
tokens-preset-for-bookkeeping = Reads receipts, Z reports and turnover for the books. Changes nothing.
tokens-preset-webshop = Webshop
tokens-preset-for-webshop = Shows the catalog online, and keeps the stock of shop and webshop the same.
tokens-preset-kiosk = Kiosk
tokens-preset-for-kiosk = Shows products, stock and the state of orders on a screen. Changes nothing.
tokens-preset-everything = Everything
tokens-preset-for-everything = All tasks of this list, for software that runs the whole shop.
## Search
search-title = Search
search-too-long = must have at most { $most } characters
search-hints = You can search for:
search-hint-catalog = products by words of their name, by code or barcode, and categories and option groups by words of their name
search-hint-sales = receipts and orders by their number
search-hint-webhooks = webhooks by a part of their address, and their deliveries by id
search-hint-tokens = tokens by a part of their name, or by the visible beginning of their value, and requests by their request ID or idempotency key
search-hint-users = users by a part of their name or e-mail address
search-hint-ids = each of these by id
search-most = At most { $most } hits of each kind are shown.
search-nothing = Nothing was found for “{ $text }”. Try fewer words or only the beginning of the last one.
search-first = Hits at { $location } come first, then those at the other locations.
search-first-of-many = Hits at { $location } come first. Only { $most } locations were searched. To search at another one, open one of its pages and search from there.
search-receipt = Receipt { $number }
search-order = Order { $number }
search-whole = Show all: { $kind }
search-whole-at = Show all at { $location }: { $kind }
## Minimums of stock

notice-stock-minimum-removed = The minimum was removed.
notice-stock-minimum-set = The minimum was saved.
stock-minimum = Minimum
stock-minimum-title = Set the minimum
stock-minimum-hint = With less than this in stock, the product is marked “{ stock-low }”. Leave the field empty for no minimum.
stock-minimum-hint-untracked = With less than this in stock, the product is marked “{ stock-low }”, from its first count or delivery on. Leave the field empty for no minimum.
stock-missing = Missing
stock-low = Under minimum
stock-under-minimum = Under the minimum
stock-none-low = No product is under its minimum.
stock-of-minimum = { $quantity } in stock, minimum { $minimum }
stock-low-count = { $count ->
    [one] 1 product is under its minimum
   *[other] { $count } products are under their minimum
}
stock-low-more = { $count ->
    [one] At least 1 product is under its minimum
   *[other] At least { $count } products are under their minimum
}
stock-sheet-low = Only products under their minimum
stock-sheet-any = Count any product
activity-object-stock-minimum = minimum stock
activity-field-minimum = { stock-minimum }
## Products: edits, prices, undo
products-new = New product
products-edit = Edit
products-edit-of = Edit { $product }
products-code-taken = is that of another product
products-now = Now: { $value }
products-changed-meanwhile = the product was changed in the meantime. Your input is still here; save it again to replace the other change
products-preview = See the new prices…
products-last-bulk = Last bulk change: { $products ->
    [one] 1 product, at
   *[other] { $products } products, at
}
products-undo = Undo
prices-how = Raise or lower
prices-by = By how much
prices-rounding = Rounded to
prices-percent-up = Raise by a percentage
prices-percent-down = Lower by a percentage
prices-amount-up = Raise by an amount
prices-amount-down = Lower by an amount
prices-round-1 = cents
prices-round-5 = 5 cents
prices-round-10 = 10 cents
prices-must-be-percentage = must be a percentage with at most one decimal, such as 10 or 2.5
prices-title = New prices
prices-old = Current price
prices-new = New price
prices-summary = Nothing has changed yet. With a new price: { $changed }. With the same price as now: { $same }.
prices-left = These products stay as they are, because the change is not possible for them:
prices-change = { $changed ->
    [one] Change 1 price
   *[other] Change { $changed } prices
}
prices-back = Back to the products
notice-bulk-undone = The last bulk change was undone: its products are as they were before.
notice-product-made = The product was added.
notice-product-saved = The product was saved.
once-products = Look at the list of products before you fill in the form again.
once-to-products = Go to the products
problem-external-id = may only have the letters A to Z and a to z, digits, blanks and . _ - /
problem-price-below-zero = would be below 0
problem-price-too-high = would be above the highest price
problem-price-change-most = must not be more than the highest price
problem-price-change-percent = must be from -100 to { $most } percent
problem-bulk-gone = cannot be undone: it was undone before, another bulk change came after it, or it is older than { $days } days
problem-bulk-unfit = cannot be undone: a category or an option group of a product is gone, or a code is taken; change the products by hand
problem-bulk-changed = cannot be undone: { $count } of its { $all } products changed or were deleted since; change the rest by hand
## Webhooks: health, filters, tests and deliveries sent again
webhooks-works = It works.
webhooks-untried = Nothing was attempted yet.
webhooks-fails = Failing since <since></since>: { $count ->
    [one] one attempt
   *[other] { $count } attempts
} in a row.
webhooks-fails-next = Failing since <since></since>: { $count ->
    [one] one attempt
   *[other] { $count } attempts
} in a row. Next attempt: <next></next>.
webhooks-since = since <time></time>
webhooks-day = Last 24 hours
webhooks-week = Last 7 days
webhooks-median = Answer time (median)
webhooks-ms = { $ms } ms
webhooks-share = { $percent } % of { $count }
webhooks-no-attempts = No attempts
webhooks-attempts-succeeded = { $percent } % of { $count ->
    [one] one attempt
   *[other] { $count } attempts
} succeeded.
webhooks-answer-times = Median answer time { $median } ms, slowest { $slowest } ms.
webhooks-of-last = This is of the last { $count ->
    [one] delivery
   *[other] { $count } deliveries
}.
webhooks-waiting-more = More than { $count }
webhooks-see-failure = See the delivery
webhooks-see-replacement = See the delivery in its place
webhooks-off-by-user = Switched off by { $name } on <time></time>.
webhooks-off-by-operator = Switched off by the operator of this server on <time></time>.
webhooks-off-by-somebody = Switched off by hand on <time></time>, and not because of failures.
webhooks-test-type = Test with
webhooks-test-about = A test of a type has the form of a real event, with made-up records. It goes to this webhook alone and is in no list of events. Its sequence is 0, which no real event has, and its records do not exist: a receiver skips ids that it does not know.
webhooks-test-tag = Test
webhooks-none-match = No delivery matches.
webhooks-choose = Choose
webhooks-choose-one = Choose { $event } of { $time }
webhooks-choose-first = Choose at least one delivery in the list first.
webhooks-duration = Duration
webhooks-request-about = Each attempt sends this, signed with its own time.
webhooks-resend-chosen = Send the chosen ones again…
webhooks-resend-period = Send given-up deliveries of a period again…
webhooks-resend-title = Send deliveries again
webhooks-resend-about = Deliveries that were given up in a period are sent again as new deliveries of the same events, 500 at a time, the newest first.
webhooks-given-up-until = Deliveries that were given up before
webhooks-until-hint = Leave it empty for all up to now.
webhooks-until-problem = must be later than the start
webhooks-count = Count them
webhooks-resend-found = Found
webhooks-resendable = { $count ->
    [0] No delivery can be sent again.
    [one] One delivery can be sent again.
   *[other] { $count } deliveries can be sent again.
}
webhooks-passed-over = { $count ->
    [one] One is passed over
   *[other] { $count } are passed over
}: sent again before, still waiting, out of date by a newer count, or of an event that was removed.
webhooks-resend-rest = { $count ->
    [0] Earlier deliveries follow in another step.
    [one] At least one earlier delivery follows in another step.
   *[other] At least { $count } earlier deliveries follow in another step.
}
webhooks-resend-now = { $count ->
    [0] Look further
    [one] Send one again
   *[other] Send { $count } again
}
webhooks-resend-next = Send the next ones again
webhooks-resent = { $count ->
    [0] No delivery is sent again.
    [one] One delivery is sent again. Its result is in the list in a moment.
   *[other] { $count } deliveries are sent again. Their results are in the list in a moment.
}
once-resend = Look at the deliveries of the webhook before you send one again.
problem-deliveries = must name at most { $most } deliveries, not { $count }
## Import of products
import-link = Import from a CSV file
import-title = Import products
import-about = A CSV file from a spreadsheet or another register creates and changes products. It has one line for each product, below a line of headings. A product is found by its code, so the same file can be imported again. All lines are checked first: nothing is written before you say so.
import-file = CSV file
import-file-hint = At most 2 MB and 10,000 lines, separated by commas, semicolons or tabs.
import-upload = Read the file
import-back = To the products
import-too-large = is larger than 2 MB; divide it into several files
import-not-csv = is not a CSV file with several columns; save it as CSV in the spreadsheet
import-no-lines = has no line with a product below its headings
import-too-many-lines = has { $lines } lines; at most { $most } can be imported at once
import-too-many-columns = has { $columns } columns; at most { $most } can be read
import-sample = The first lines of the file
import-columns = Columns
import-columns-hint = Choose the column of the file for each field. A field without a column, or with an empty cell, stays as it is.
import-column = Column { $number }
import-no-column = Not in the file
import-create-categories = Create missing categories
import-check = Check all lines
import-other-file = Choose another file
import-line = Line
import-problem = Problem
import-lines = Lines
import-created = New products
import-changed = Changed
import-unchanged = Unchanged
import-faulty = Faulty lines
import-left-out = Lines left out
import-report = Nothing has been written yet. The import would do this:
import-refused = Nothing was written, because there are faulty lines. Correct them in the file, or choose to leave them out.
import-skip-faulty = Leave the faulty lines out
import-apply = Import now
import-change-columns = Change the columns
import-nothing-fine = Apart from the faulty lines there is nothing to import.
import-nothing-new = All products are already as in the file.
import-problems = Problems
import-first-problems = The first { $most } of { $count } are shown.
import-done = The import is done.
import-no-code = is missing; give each product a code of its own
import-repeated = is that of line { $line } as well
import-no-category = does not exist; add it first, or have missing categories created
import-shortened = was shortened by a spreadsheet; format the column as text there, and fill it in again
import-price-too-high = must be at most { $most }
import-yes-or-no = must be yes or no
problem-blank-at-end = must not start or end with a blank
problem-broken-form = the form broke off on its way; send it again

## The charts of the first page

today-means = Means of payment
today-rate = VAT rate
today-turnover-in = Turnover in { $currency }
## Words of lists
word-problem = Problem
word-result = Result
tokens-tasks-differ = Differs by location
## Forms that keep what they were made for
problem-price-changed = has changed since the new price was shown
table-too-far = Too many rows would have to be searched for this file. Choose a shorter period or another filter
