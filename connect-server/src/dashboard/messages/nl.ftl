# De teksten van het dashboard in het Nederlands.

language = Nederlands

## Getallen en bedragen

number-group = .
number-decimal = ,
money = { $symbol }{ "\u00A0" }{ $amount }
money-of = { $amount }{ "\u00A0" }{ $currency }

## Datums

date = { $day } { $month ->
    [1] jan
    [2] feb
    [3] mrt
    [4] apr
    [5] mei
    [6] jun
    [7] jul
    [8] aug
    [9] sep
    [10] okt
    [11] nov
   *[12] dec
} { $year }
date-time = { $date }, { $time }
month-long = { $month ->
    [1] januari
    [2] februari
    [3] maart
    [4] april
    [5] mei
    [6] juni
    [7] juli
    [8] augustus
    [9] september
    [10] oktober
    [11] november
   *[12] december
}
date-month = { month-long } { $year }
date-long = { $weekday ->
    [1] maandag
    [2] dinsdag
    [3] woensdag
    [4] donderdag
    [5] vrijdag
    [6] zaterdag
   *[7] zondag
} { $day } { month-long } { $year }

## Meldingen over de vorige handeling

notice-account-changed = Je wijzigingen zijn opgeslagen.
notice-clock-advanced = De klok is vooruitgezet. Wat nu aan de beurt is, gebeurt binnen een ogenblik.
notice-email-changed = Je e-mailadres is gewijzigd. Gebruik het vanaf de volgende keer dat je inlogt.
notice-erasure-planned = Het wissen is gepland. Tot dat moment kun je dat hier intrekken.
notice-erasure-taken-back = Er wordt niets gewist.
notice-key-revoked = De sleutel van het scherm wordt vanaf nu geweigerd.
notice-name-changed = De naam is gewijzigd. Eerdere gegevens houden de vorige naam.
notice-no-person-found = Deze naam of dit id komt nergens voor. Schrijf een naam zoals hij is opgeslagen.
notice-password-changed = Het wachtwoord is gewijzigd. Je bent overal elders uitgelogd.
notice-password-set = Je wachtwoord is ingesteld en je bent ingelogd.
notice-passkey-added = Je passkey is toegevoegd. Probeer hem de volgende keer dat je inlogt, voordat je hem nodig hebt.
notice-passkey-removed = De passkey is verwijderd. Je bent overal elders uitgelogd. Verwijder hem ook van je apparaat.
notice-person-blanked = De naam is gewist uit de bonnen, bestellingen en gebeurtenissen waarin hij stond.
notice-ping-queued = Een test is onderweg. Laad de pagina zo meteen opnieuw om het resultaat te zien.
notice-products-changed = De producten zijn gewijzigd.
notice-provider-removed = De aanbieder is verwijderd. Gebruikers loggen in met wachtwoorden.
notice-provider-set = De aanbieder is opgeslagen. Probeer het inlogadres uit voordat je het aan je gebruikers geeft.
notice-resent = De gebeurtenis wordt opnieuw verzonden. Laad de pagina zo meteen opnieuw om het resultaat te zien.
notice-screen-deleted = Het scherm is verwijderd.
notice-screen-made = Het scherm is toegevoegd. Maak er een sleutel voor, zodat het kan schrijven.
notice-second-factor-removed = Je tweestapsverificatie is verwijderd. Je bent overal elders uitgelogd.
notice-second-factor-reset = De tweestapsverificatie en de passkeys zijn verwijderd. Deze gebruiker logt in met alleen het wachtwoord.
notice-session-closed = De sessie is beëindigd.
notice-session-ended = Je sessie was verlopen, dus er is niets gedaan. Log opnieuw in en herhaal je laatste stap.
notice-sessions-closed = Alle andere sessies zijn beëindigd.
notice-sign-in-ended = Deze aanmelding is verlopen: het duurde te lang, of er waren te veel verkeerde codes. Log opnieuw in.
notice-signed-out = Je bent uitgelogd.
notice-simulated-closing = De kassa is afgesloten. Het Z-rapport staat in het journaal.
notice-simulated-day = Een verkoopdag staat in het journaal.
notice-simulated-order = De bestelling staat bij de bestellingen.
notice-simulated-receipt = De bon staat in het journaal.
notice-stock-counted = De telling is opgeslagen. Je kunt het volgende product tellen.
notice-stock-entered = De voorraad is gewijzigd.
notice-stock-same = De voorraad klopt met de telling.
notice-token-revoked = Het token is ingetrokken. Het wordt vanaf nu geweigerd.
notice-user-changed = De gebruiker is gewijzigd.
notice-user-made = De gebruiker is toegevoegd. Nodig de persoon uit om een wachtwoord in te stellen.
notice-user-removed = De gebruiker is verwijderd.
notice-webhook-changed = De webhook is gewijzigd.
notice-webhook-deleted = De webhook is verwijderd.
notice-webhook-off = De webhook staat uit. Gebeurtenissen wachten maximaal 30 dagen, totdat je hem aanzet.
notice-webhook-on = De webhook staat aan. Wachtende gebeurtenissen worden eerst verzonden, op volgorde.
notice-webhook-on-without = De webhook staat aan. Wachtende gebeurtenissen vervallen; gebeurtenissen vanaf nu worden verzonden.

## Het kader van elke pagina

frame-skip = Naar de inhoud
frame-menu = Menu
frame-close = Sluiten
frame-navigation = Dashboard
frame-sign-out = Uitloggen
frame-sandbox-banner = Dit is een sandbox: niets erin is echt. <a>Simuleer een verkoop, een bestelling of een verkoopdag</a>
frame-deliveries-banner = Bezorgingen staan uit: webhooks en e-mail worden niet verzonden, en afbeeldingen niet opgehaald. Dit is een kopie van een winkel, of een winkel die is teruggezet en nog niet in gebruik is.
frame-factor-banner = Je account vereist tweestapsverificatie. <a>Stel die in om verder te gaan</a>
frame-erasure = Wissen
frame-erasure-location = De locatie { $location } wordt gewist op { $time }.
frame-erasure-account = Dit account wordt gewist op { $time }.
frame-erasure-keep = Intrekken
frame-erasure-owner = Een eigenaar kan het intrekken.

group-shop = Winkel
group-integrations = Koppelingen
group-people = Mensen

section-dashboard = Vandaag
section-journal = Journaal
section-orders = Bestellingen
section-products = Producten
section-stock = Voorraad
section-tokens = Tokens
section-webhooks = Webhooks
section-screens = Schermen
section-users = Gebruikers
section-activity = Activiteit
section-account = Account
section-privacy = Privacy
section-usage = API en verbruik
section-sandbox = Sandbox
section-components = Onderdelen

## Onderdelen van pagina's

gone = er is geen zo'n pagina, of het gegeven bestaat niet meer
copy-now = Kopieer het nu. Het wordt niet nog eens getoond.
field-code = { word-code }
form-too-old = dit formulier is te oud, of kwam niet van het dashboard; open de pagina opnieuw en herhaal je laatste stap

word-location = Locatie
word-show = Tonen
word-name = Naam
word-product = Product
word-code = Code
word-category = Categorie
word-price = Prijs
word-vat = Btw
word-total = Totaal
word-register = Kassa
word-employee = Medewerker
word-note = Opmerking
word-time = Tijd
word-email = E-mailadres
word-password = Wachtwoord
word-sign-in = Inloggen
word-save = Opslaan
word-cancel = Annuleren
word-yes = Ja
word-no = Nee
word-status = Status
word-key = Sleutel
word-action = Actie
word-actions = Acties
word-address = Adres
word-all = Alle
word-barcode = Barcode
word-by = Door
word-deliveries = Bezorgingen
word-find = Zoeken
word-last-used = Laatst gebruikt
word-locations = Locaties
word-must-be-chosen = moet worden gekozen
word-must-be-days = moet een aantal dagen zijn
word-never = Nooit
word-quantity = Aantal
word-receipts = Bonnen
word-remove-of = { $name } verwijderen
word-remove-open = Verwijderen…
word-remove-open-of = Verwijderen… { $name }
word-turnover = Omzet
word-what = Wat

## Formulieren die twee keer zijn verzonden

once-title = Dit was al gedaan
once-explained = Je hebt dit formulier al eerder verzonden, dus nu is er niets gedaan. { $advice }
once-token = Heb je het token niet gezien, trek het dan in en maak een ander.
once-webhook = Heb je het geheim van de webhook niet gezien, open dan de webhook en vernieuw het geheim.
once-webhook-secret = Heb je het nieuwe geheim niet gezien, open dan de webhook en vernieuw het geheim nog eens.
once-screen = Staat het scherm niet in de lijst, vul het formulier dan opnieuw in.
once-screen-key = Heb je de sleutel niet gezien, vervang hem dan door een andere.
once-sandbox = Wil je hetzelfde nog eens laten gebeuren, druk dan op de knop op de pagina zoals die nu is.
once-stock = Bekijk de mutaties van het product voordat je het formulier opnieuw invult.
once-user = Staat de gebruiker niet in de lijst, vul het formulier dan opnieuw in.
once-invitation = Heb je de link niet gezien, maak dan een nieuwe uitnodiging.
once-recovery-codes = Heb je de herstelcodes niet gezien, maak dan nieuwe.
once-to-tokens = Naar de tokens
once-to-webhooks = Naar de webhooks
once-to-screens = Naar de schermen
once-to-sandbox = Naar de sandbox
once-to-stock = Naar de voorraad
once-to-users = Naar de gebruikers
once-to-second-factor = Naar de tweestapsverificatie

## Alle onderdelen

gallery-problem = is geen naam
gallery-hint = Zoals op de deur.
gallery-words = Woorden van een onderdeel

## Periodes

period-from-to = { $first } t/m { $last }
period-day = Dag
period-week = Week
period-month = Maand
period-year = Jaar
period = Periode
period-before = Vorige
period-after = Volgende
period-all = Alles

## Vandaag

today-average = Gemiddelde bon
today-refunds = Retouren
today-refund-count = { $count ->
    [one] 1 bon
   *[other] { $count } bonnen
}
today-discounts = Kortingen
today-hour = Uur
today-article = { $name } × { $quantity }
today-best = Meeste omzet
today-worst = Minste omzet
today-missing-days = { $days ->
    [one] De producten van 1 dag zijn nog niet opgeteld. Laad de pagina opnieuw om die dag erbij te tellen.
   *[other] De producten van { $days } dagen zijn nog niet opgeteld. Laad de pagina opnieuw om er dagen bij te tellen.
}
today-locations = Locaties naast elkaar
before-day = Zelfde dag een week eerder
so-far-day = Zelfde tijd een week eerder
before-week = Week ervoor
so-far-week = Week ervoor, tot hetzelfde moment
before-month = Maand ervoor
so-far-month = Maand ervoor, tot hetzelfde moment
before-year = Jaar ervoor
so-far-year = Jaar ervoor, tot hetzelfde moment
chart-table = Als tabel
chart-bar = { $name }: { $amount }

## Winkel

shop-next-page = Volgende pagina
shop-nowhere = Dit account heeft nog geen locatie. Vraag de beheerder van deze server om er een toe te voegen.
shop-nothing-so-far = Er is nog niets gevonden. De volgende pagina zoekt verder.
shop-nothing-more = Er is niets meer.
shop-sales = Verkopen
shop-payments = Betalingen
shop-number = Nummer
shop-counted = Geteld
shop-means-cash = Contant
shop-means-card = Pin
shop-means-voucher = Tegoedbon
shop-means-invoice = Op rekening
shop-means-other = Overig

## Journaal

journal-z-reports = { problem-word-z-reports }
journal-nothing-sold = Er is nog niets verkocht.
journal-nothing-sold-then = In deze periode is niets verkocht.
journal-receipt = Bon
journal-receipt-title = { $kind } { $number }
journal-sale = Verkoop
journal-refund = Retour
journal-opening-float = Beginkas
journal-cash-in = Kasstorting
journal-cash-out = Kasopname
journal-refund-of = Retour van
journal-the-sale = de verkoop
journal-back = Terug naar het journaal
journal-no-closing = Er is nog geen kassa afgesloten.
journal-closed = Afgesloten
journal-cash-expected = Contant verwacht
journal-difference = Verschil

## Bestellingen

orders-state = Status
orders-any = Alle
orders-none = Geen bestelling gevonden. Bestellingen komen van kiosken en van Scan & Order-pagina's.
orders-from = Via
orders-for = Voor
orders-from-kiosk = Kiosk
orders-from-scan-and-order = Scan & Order
orders-new = Nieuw
orders-accepted = Geaccepteerd
orders-preparing = In bereiding
orders-ready = Klaar
orders-completed = Afgerond
orders-cancelled = Geannuleerd

## Producten

products-none-yet = Er is nog geen product. Andere software voegt producten toe via de API.
products-none = Geen product gevonden.
products-search = Naam, code of barcode
products-categories-cut = Je kunt uit maar { $most } categorieën kiezen: die het langst niet zijn gewijzigd.
products-choose = Kiezen
products-choose-one = { $product } kiezen
products-for-sale = Te koop
products-changes = Wijzigingen
products-changes-of = Wijzigingen van { $product }
products-nothing = Niets
products-with-chosen = Met de gekozen producten
products-choose-category = Kies een categorie
products-no-category = Geen categorie
products-set-category = Categorie instellen
products-set-price = Prijs instellen
products-vat = Btw in %
products-set-vat = Btw instellen
products-put-on-sale = In de verkoop zetten
products-take-off-sale = Uit de verkoop halen
products-delete = Verwijderen…
products-delete-chosen = De gekozen producten verwijderen
products-delete-consequence = Ze verdwijnen voor elk programma dat de API gebruikt. Dit kan niet ongedaan worden gemaakt.
products-unchanged = Er is niets gewijzigd. { $reason }
products-choose-first = kies eerst de producten
products-choose-action = kies een actie
products-must-be-amount = moet een bedrag zijn, zoals 3,50
products-must-be-percentage = moet een percentage zijn, zoals 9 of 5,5
products-partly = Gewijzigd: { $changed }. Ongewijzigd gebleven: { $left }.
products-failure = <strong>{ $product }</strong>: { $problem }
products-gone = Een product dat niet meer bestaat

## Voorraad

stock-empty = Van nog geen enkel product wordt de voorraad bijgehouden. De voorraad is bekend vanaf de eerste telling of levering.
stock-deleted = Een verwijderd product
stock-level = Op voorraad
stock-since = Sinds
stock-history = Verloop
stock-history-of = Verloop van { $product }
stock-of = Voorraad van { $product }
stock-of-deleted = Voorraad van een verwijderd product
stock-nothing-moved = Er zijn nog geen mutaties.
stock-back = Terug naar de voorraad
stock-movements = Mutaties
stock-change = Mutatie
stock-after = Erna
stock-delivered = Geleverd
stock-corrected = Gecorrigeerd
stock-sold = Verkocht
stock-taken-back = Teruggenomen
stock-enter = Invoeren
stock-enter-of = Voorraad van { $product } invoeren
stock-enter-title = Voorraad invoeren
stock-link = { $quantity } op voorraad: { $product }
stock-untracked = Nog niet bijgehouden
stock-untracked-of = Nog niet bijgehouden: { $product }
stock-kind = Soort
stock-kind-count = Telling: zoveel is er in totaal
stock-kind-delivery = Levering: zoveel is er bijgekomen
stock-kind-correction = Correctie: zoveel erbij, of eraf met een minteken
stock-quantity-hint = Met hoogstens drie decimalen, zoals 2,5.
stock-note-hint = De reden. Bij een correctie is die verplicht.
stock-must-be-quantity = moet een getal zijn zoals 12 of 0,5, met hoogstens drie decimalen
stock-must-give-reason = moet bij een correctie de reden noemen
stock-changed-meanwhile = de voorraad is intussen gewijzigd, door een andere telling, een levering of een verkoop; kijk naar de voorraad op deze pagina en naar je telling, en sla opnieuw op
stock-sheet = Tellijst
stock-code = Barcode of code
stock-code-unknown = moet van een product zijn; geen product heeft { $code }
stock-to-products = Zoek het bij de producten
stock-several = Meerdere producten hebben de code { $code }. Kies er een:
stock-counted-today = Vandaag geteld
stock-none-counted = Er is geen telling van vandaag gevonden.

## Account

account-business-name = Naam van het bedrijf
account-signing-in = Inloggen
account-demand = Tweestapsverificatie verplichten voor alle gebruikers
account-demand-hint = Een gebruiker zonder tweestapsverificatie kan niets doen tot die is ingesteld.
account-demand-label = Dit
account-single-sign-on-hint = Gebruikers loggen in via de aanbieder van je bedrijf.
account-set-up-single-sign-on = Single sign-on instellen
account-you = Jij
account-own-name = Je naam
account-email-hint = Je logt ermee in.
account-email-hint-owner = Je logt ermee in. Als een webhook wordt uitgeschakeld, gaat er een bericht naar de eerste eigenaar.
account-change-email = E-mailadres wijzigen
account-new-email = Nieuw e-mailadres
account-current-email = Je logt in als <strong>{ $email }</strong>.
account-change-password = Wachtwoord wijzigen
account-new-password = Nieuw wachtwoord
account-password-hint = Overal elders word je uitgelogd.
account-factor-needed = Om in te loggen heb je meer nodig dan je wachtwoord.
account-factor-not-needed = Om in te loggen heb je alleen je wachtwoord nodig.
account-authenticator-app = Authenticator-app
account-sessions = Sessies
account-sessions-hint = Je bent in deze browser ingelogd tot <time></time>, of tot je hem een dag niet gebruikt.
account-browser = Browser
account-signed-in = Ingelogd
account-unknown-browser = Onbekend
account-this-browser = Deze browser
account-end = Beëindigen
account-end-others = Alle andere sessies beëindigen
account-back = Terug naar het account
account-remove-heading = Verwijderen

## Nieuw wachtwoord

new-password-hint = Minstens { $count } tekens. Drie of vier losse woorden zijn makkelijk te onthouden en moeilijk te raden.
new-password-repeated = { $label } nogmaals
new-password-must-be-same = moet hetzelfde zijn als hierboven

## Tweestapsverificatie

second-factor-title = Tweestapsverificatie
second-factor-explained = Met tweestapsverificatie heb je om in te loggen je wachtwoord nodig en een code van een app op je telefoon. Elke authenticator-app is geschikt, ook die in een wachtwoordmanager. <a>Een passkey</a> heeft geen code nodig, en telt ook als tweede stap.
second-factor-set-up = Instellen
second-factor-hint-of-provider = Je logt in via de aanbieder van je bedrijf. Heb je hier geen wachtwoord, vraag dan eerst een andere eigenaar of de beheerder van deze server om een uitnodiging.
second-factor-hint-of-demand = Je account vereist tweestapsverificatie: zonder app en passkey zie je alleen je eigen account en weinig meer.
second-factor-added = Toegevoegd op <time></time>. Om in te loggen heb je je wachtwoord en een code van je app nodig, of een passkey.
second-factor-problem-of-password = Het huidige wachtwoord { $problem }
second-factor-recovery-codes = Herstelcodes
second-factor-codes-left = { $count ->
    [one] Er is nog één herstelcode over.
   *[other] Er zijn nog { $count } herstelcodes over.
} Nieuwe codes vervangen ze allemaal, gebruikt of niet.
second-factor-renew-codes = Nieuwe herstelcodes maken
second-factor-remove = Tweestapsverificatie verwijderen
second-factor-remove-full = Verwijderen… tweestapsverificatie
second-factor-remove-consequence = Daarna heb je naast je wachtwoord geen code meer nodig. Overal elders word je uitgelogd.
second-factor-read-code = 1. Scan deze code met je authenticator-app.
second-factor-qr-code = QR-code
second-factor-cannot-read = Kan de app de code niet lezen?
second-factor-type-key = Typ dan deze sleutel in de app:
second-factor-type-digits = 2. Typ de zes cijfers die de app toont.
second-factor-type-digits-now = Typ de zes cijfers die de app nu toont.
second-factor-turn-on = Inschakelen
second-factor-begin-again = Opnieuw beginnen
second-factor-your-codes = Je herstelcodes
second-factor-codes-explained = Dit zijn je herstelcodes. Met elke code kun je één keer inloggen, in plaats van met een code van je app: bewaar ze waar je ze zonder je telefoon terugvindt, bijvoorbeeld op papier. Ze worden niet nog eens getoond.
second-factor-codes-kept = Ik heb ze bewaard

## Passkeys

passkeys-title = Passkeys
passkeys-explained = Met een passkey log je in met de vingerafdruk, het gezicht of de pincode van je telefoon, computer of beveiligingssleutel. Hij werkt alleen op dit dashboard, dus geen andere site kan erom vragen.
passkeys-add-two = Naast je wachtwoord heb je dan ook een passkey nodig, of een code: zonder beide kun je niet inloggen. Voeg er dus twee toe, of een <a>authenticator-app</a> met herstelcodes.
passkeys-none = Je hebt nog geen passkey.
passkeys-add = Passkey toevoegen
passkeys-yours = Je passkeys
passkeys-added = Toegevoegd
passkeys-last-sign-in = Laatst ingelogd
passkeys-remove = Passkey verwijderen
passkeys-remove-consequence = Je kunt er niet meer mee inloggen. Overal elders word je uitgelogd.
passkeys-name = Naam van de passkey
passkeys-name-hint = Bijvoorbeeld het apparaat waar hij op staat: Mijn telefoon.
passkeys-not-needed = Je logt in via de aanbieder van je bedrijf, en hebt er geen nodig.
passkeys-go-on = Verder
passkeys-make = Passkey maken
passkeys-press-button = Druk op de knop. Je browser vraagt dan om het apparaat, en om je vingerafdruk, gezicht of pincode.
passkeys-need-address = Voor passkeys is een adres met HTTPS en een servernaam nodig, en dit dashboard staat op { $address }. De beheerder kan een ander adres instellen (--admin-url).
passkeys-need-script = Voor passkeys zijn scripts nodig. Sta ze toe op deze pagina: er staat er één op, van deze server.
passkeys-cancelled = Dit is geannuleerd, of het duurde te lang. Probeer het opnieuw.
passkeys-present = Dit apparaat heeft al een passkey voor je.
passkeys-not-allowed = De browser staat op dit adres geen passkeys toe. Vraag het aan de beheerder van deze server.
passkeys-failed = Het is de browser niet gelukt: { $problem }
passkeys-elsewhere = Passkeys werken maar op één adres. Open deze pagina op { $address }
passkeys-old-browser = Deze browser is te oud voor passkeys. Werk hem bij, of gebruik een andere.

## Inloggen

sign-in-wrong = het e-mailadres of het wachtwoord is onjuist
sign-in-forgotten = Wachtwoord vergeten?
sign-in-no-password = Nog geen wachtwoord? Vraag een eigenaar van je account of de beheerder van deze server om een uitnodiging.
sign-in-type-digits = Typ de zes cijfers die je authenticator-app toont.
sign-in-without-phone = Heb je je telefoon niet, typ dan een herstelcode in plaats van de cijfers. Heb je geen van beide, vraag dan een eigenaar van je account of de beheerder van deze server om je tweestapsverificatie te verwijderen.
sign-in-as-other = Als iemand anders inloggen
sign-in-with-passkey = Inloggen met een passkey
sign-in-use-passkey = Passkey gebruiken
sign-in-confirm-by-passkey = Je wachtwoord klopt. Bevestig met je passkey dat jij het bent.
sign-in-passkey-explained = Gebruik de vingerafdruk, het gezicht of de pincode van dit apparaat of van je telefoon, of een beveiligingssleutel.
sign-in-with-own-password = Inloggen met je wachtwoord
sign-in-code-instead = In plaats daarvan een code typen
sign-in-without-passkey = Heb je je passkey niet, vraag dan een eigenaar van je account of de beheerder van deze server om je tweestapsverificatie te verwijderen.

## Wachtwoord vergeten

forgotten-title = Ander wachtwoord instellen
forgotten-send = Stuur me een link
forgotten-no-mail = Deze server verstuurt geen e-mail. Vraag een eigenaar van je account of de beheerder van deze server om een nieuwe uitnodiging: daarmee stel je een ander wachtwoord in.
forgotten-look = Kijk in je mailbox
forgotten-on-its-way = Als iemand met dit adres inlogt, is er een bericht met een link onderweg. Met de link stel je een ander wachtwoord in; hij is een uur geldig, en één keer te gebruiken.
forgotten-no-message = Geen bericht? Kijk bij de ongewenste e-mail, en controleer het adres. Na vijf minuten kan er een nieuw bericht worden verstuurd.

## Uitnodiging

invitation-title = Stel je wachtwoord in
invitation-explained = Je bent uitgenodigd voor het dashboard van <strong>{ $name }</strong>. Je logt straks in als <strong>{ $email }</strong>.
invitation-set = Wachtwoord instellen
invitation-address-taken = dit e-mailadres is niet beschikbaar; vraag om een uitnodiging op een ander adres
invitation-gone = Deze uitnodiging is niet meer geldig
invitation-gone-explained = De uitnodiging is gebruikt, door een nieuwere vervangen of te oud: een uitnodiging is drie dagen geldig, een link voor een vergeten wachtwoord een uur. Vraag om een nieuwe.

## Single sign-on

single-sign-on-title = Single sign-on
single-sign-on-explained = Gebruikers loggen in via de aanbieder van je bedrijf, zoals Keycloak, Entra ID of Google, met OpenID Connect. Iedereen wordt gevonden aan het e-mailadres dat de aanbieder heeft geverifieerd: voeg de gebruikers dus eerst toe.
single-sign-on-register = Registreer deze dienst bij je aanbieder als vertrouwelijke client (confidential client), met dit adres om naar terug te keren: <code>{ $address }</code>
single-sign-on-fill-in = Vul in wat de aanbieder toont:
single-sign-on-issuer-hint = Het adres van de aanbieder, zoals https://login.example.com/realms/shop.
single-sign-on-client-secret-hint = Het wordt versleuteld opgeslagen en nooit getoond.
single-sign-on-present-secret-hint = Het wordt versleuteld opgeslagen en nooit getoond. Laat het leeg om het huidige te houden.
single-sign-on-address = Inlogadres
single-sign-on-give-address = Geef dit adres aan je gebruikers, en probeer het zelf in een andere browser:
single-sign-on-passwords = Een gebruiker die zo is binnengekomen, heeft geen wachtwoord meer nodig en kan er ook geen gebruiken. Eigenaren kunnen dat van hen nog wel gebruiken: een storing bij de aanbieder sluit niemand buiten. Laatst gewijzigd op <time></time>.
single-sign-on-remove = Aanbieder verwijderen
single-sign-on-remove-full = Verwijderen… de aanbieder
single-sign-on-remove-consequence = Gebruikers loggen weer in met een wachtwoord. Wie er geen heeft, heeft een uitnodiging nodig.
single-sign-on-at = Je logt in bij <strong>{ $issuer }</strong>.
single-sign-on-continue = Doorgaan
single-sign-on-with-password = Inloggen met een wachtwoord
single-sign-on-failed = Inloggen is mislukt
single-sign-on-too-old = Het inloggen is in een andere browser begonnen, of te lang geleden.
single-sign-on-again = Opnieuw proberen

## Privacy

privacy-back = Terug naar privacy
privacy-export = Exporteren
privacy-export-hint = Een bestand met alles van het account, voor jezelf of voor een andere dienst.
privacy-export-explained = Alles van { $name }: één gegeven per regel, in JSON, met de afbeeldingen. Wachtwoorden en de waarden van tokens en sleutels staan er niet in.
privacy-several-files = Het zijn meerdere bestanden. Download ze allemaal, op volgorde.
privacy-download = Downloaden
privacy-next-file = Het volgende bestand
privacy-retention = Hoe lang gegevens worden bewaard
privacy-retention-hint = In dagen; een leeg veld laat het aan de dienst over. Bestellingen en namen blijven dan bewaard, gebeurtenissen en bezorgingen 30 dagen, en bij het wissen verdwijnt ook het journaal.
privacy-order-days = Bestellingen verwijderen
privacy-person-days = Namen van klanten en medewerkers wissen
privacy-event-days = Gebeurtenissen bewaren (7 tot 30)
privacy-delivery-days = Logboek van bezorgingen bewaren (7 tot 30)
privacy-request-days = Laatste verzoeken van tokens tonen (7 tot 30)
privacy-journal-days = Journaal bewaren na het wissen
privacy-blank-person = Naam van een persoon wissen
privacy-blank-hint = De naam verdwijnt van bonnen, bestellingen en gebeurtenissen. Typ de naam zoals die is opgeslagen, of het id van één bon of bestelling.
privacy-person-at = Persoon bij { $location }
privacy-blank = Naam wissen
privacy-erase = Wissen
privacy-erase-hint = Alles gaat nog 30 dagen door, en zolang kun je het terugdraaien. Daarna wordt alles definitief gewist; back-ups bevatten het tot ze zelf worden verwijderd.
privacy-erase-location = De locatie { $name } wissen
privacy-erase-account = Het hele account { $name } wissen
privacy-write-name = Typ de naam, om zeker te weten dat je deze bedoelt.
privacy-must-be-name = moet de naam zijn van wat je wist, zoals die hierboven staat
privacy-location-erased = Wordt gewist op <time></time>: de locatie { $name }.
privacy-account-erased = Wordt gewist op <time></time>: het hele account { $name }.
privacy-keep = { $name } behouden

## Pagina's van fouten

problem-other = Dit is niet gelukt
problem-not-found = Niet gevonden
problem-to-overview = Naar de eerste pagina

## Gebruikers

users-explained = Iedereen logt in met een eigen e-mailadres en wachtwoord, en ziet en doet wat bij de rol hoort.
users-add = Gebruiker toevoegen
users-back = Terug naar de gebruikers
users-role = Rol
users-sign-in = Inloggen
users-email-hint = De gebruiker logt ermee in.
users-role-in-account = Rol in het hele account
users-roles-at-locations = Of een rol op afzonderlijke locaties
users-no-role = Geen
users-by-location = Per locatie
users-owner-explained = Eigenaar: alles, ook gebruikers en het account
users-manager-explained = Manager: alles behalve gebruikers en het account
users-accountant-explained = Boekhouder: ziet omzet, assortiment en voorraad
users-developer-explained = Ontwikkelaar: webhooks, en tokens met elk recht
users-owner = eigenaar
users-manager = manager
users-accountant = boekhouder
users-developer = ontwikkelaar
users-role-at = { $role } bij { $location }
users-role-must-be-chosen = moet worden gekozen: een rol voor het account, of voor een locatie
users-invited-until = Uitgenodigd tot <time></time>
users-has-password = Heeft een wachtwoord
users-not-invited = Nog niet uitgenodigd
users-with-second-factor = <state></state>, tweestapsverificatie
users-invite = Uitnodigen
users-invite-hint = De link stelt het wachtwoord in.
users-reset-password = Wachtwoord opnieuw instellen
users-reset-password-hint = De link stelt een ander wachtwoord in, en beëindigt alle sessies van deze gebruiker.
users-invitation-made = Uitnodiging gemaakt
users-invited-by-mail = Er is een bericht met deze link onderweg naar de gebruiker. Daarmee stelt die het wachtwoord in; de link is drie dagen geldig, één keer te gebruiken, en vervangt een eerdere.
users-invited-by-hand = Stuur deze link naar de gebruiker. Daarmee stelt die het wachtwoord in; de link is drie dagen geldig, één keer te gebruiken, en vervangt een eerdere.
users-link = Link
users-reset-factor = Tweestapsverificatie verwijderen…
users-reset-factor-full = Verwijderen… tweestapsverificatie van { $name }
users-reset-factor-hint = Voor iemand die de app, de herstelcodes en de passkey kwijt is.
users-reset-factor-consequence = Daarna logt deze gebruiker met alleen het wachtwoord in: ook passkeys worden verwijderd. Alle sessies van deze gebruiker eindigen meteen.
users-remove-consequence = Alle sessies van deze gebruiker eindigen meteen. Dit kan niet ongedaan worden gemaakt.

## Tokens

tokens-about = Met een token gebruikt andere software de API, op de locaties en voor de taken die je kiest.
tokens-last-used-hint = “Laatst gebruikt” is exact voor verzoeken aan deze server. Draaien er meer servers, dan kan het voor verzoeken aan de andere een minuut achterlopen.
tokens-empty = Nog geen tokens. Maak er een voor elk programma dat de API gebruikt.
tokens-create = Token maken
tokens-ended = { $count } ingetrokken of verlopen.
tokens-ended-newest = De nieuwste { $count } daarvan worden getoond.
tokens-ended-removed = Een token verdwijnt na { $days } dagen uit deze lijst.
tokens-expires = Verloopt
tokens-revoked-at = Ingetrokken op <time></time>
tokens-revoke = { $name } intrekken
tokens-revoke-open = Intrekken…
tokens-revoke-open-of = Intrekken… { $name }
tokens-revoke-consequence = Programma's die het gebruiken, worden meteen geweigerd. Dit kan niet ongedaan worden gemaakt.
tokens-name-hint = Het programma dat het gaat gebruiken. Wijzigingen met dit token worden onder deze naam getoond.
tokens-after-days = Na { $days } dagen
tokens-after-year = Na 1 jaar
tokens-scopes-problem = moeten worden gekozen: minstens één, op een locatie
tokens-no-locations = Een token is voor locaties, en dit account heeft er nog geen. Vraag de beheerder van deze server om er een toe te voegen.
tokens-created = Token “{ $name }” gemaakt
tokens-try = Probeer het uit
tokens-back = Terug naar de tokens
tokens-requests-empty = Nog geen verzoeken met dit token.
tokens-last-requests = Laatste verzoeken
tokens-all-requests = Alle verzoeken van dit token
tokens-used-from = vanaf { $address }
tokens-request = Verzoek
tokens-idempotency-key = Idempotentiesleutel
tokens-request-id = Verzoek-ID

## Webhooks

webhooks-about = Een webhook stuurt gebeurtenissen naar je endpoint zodra ze plaatsvinden: verkopen, bestellingen, wijzigingen van producten en voorraad. Elke bezorging is ondertekend met het geheim van de webhook.
webhooks-empty = Nog geen webhooks.
webhooks-create = Webhook maken
webhooks-edit = Webhook bewerken
webhooks-url = URL van het endpoint
webhooks-url-hint = Moet met https:// beginnen en vanaf het internet bereikbaar zijn.
webhooks-events-problem = Minstens één gebeurtenis
webhooks-locations-hint = Kies er geen om de gebeurtenissen van alle locaties te krijgen, ook van locaties die later worden toegevoegd.
webhooks-created = Webhook gemaakt
webhooks-sent-to = Gebeurtenissen worden vanaf nu verzonden naar <code>{ $url }</code>.
webhooks-secret = Geheim voor de ondertekening
webhooks-secret-hint = Je endpoint controleert hiermee de ondertekening van elke bezorging. In Rust doet de crate connect-webhook-verify dat; de webhookgids laat het voor andere talen zien.
webhooks-go-to = Naar de webhook
webhooks-back = Terug naar de webhook
webhooks-last-success = Laatst gelukt
webhooks-last-failure = Laatst mislukt
webhooks-on = Aan
webhooks-off = Uit
webhooks-switched-off = Uitgeschakeld
webhooks-waits-for-key = Wacht op de sleutel
webhooks-failing = { $count } mislukt op rij
webhooks-probed = Wordt getest: { $count } mislukt op rij
webhooks-off-by-failures = Uitgeschakeld op <time></time> na 50 mislukte pogingen op rij. Herstel het endpoint en zet de webhook dan aan.
webhooks-off-by-owner = Je hebt hem uitgezet op <time></time>.
webhooks-none-wait = Gebeurtenissen van de tijd dat hij uitstaat, wachten maximaal 30 dagen.
webhooks-some-wait = { $count ->
    [one] Er wacht één gebeurtenis, maximaal 30 dagen.
   *[other] Er wachten { $count } gebeurtenissen, maximaal 30 dagen.
}
webhooks-more-wait = Er wachten meer dan { $count } gebeurtenissen, maximaal 30 dagen.
webhooks-unsigned = De dienst kan het geheim van deze webhook niet lezen, omdat de sleutel ervoor ontbreekt. Bezorgingen wachten; er gaat niets verloren. Ze worden verzonden zodra de beheerder van de dienst de sleutel heeft teruggezet. Is de sleutel kwijt, vernieuw dan het geheim en geef het nieuwe meteen aan de ontvanger: dan worden de bezorgingen verzonden.
webhooks-next-probe = De webhook wordt getest: één poging per minuut totdat er een lukt, de volgende op <time></time> of wanneer daarna een bezorging aan de beurt is. De andere bezorgingen wachten en worden verzonden zodra het lukt.
webhooks-test = Testgebeurtenis verzenden
webhooks-switch-on = Aanzetten
webhooks-switch-off = Uitzetten
webhooks-switch-on-and-send = Aanzetten en wachtende gebeurtenissen verzenden
webhooks-switch-on-without = Aanzetten zonder wachtende gebeurtenissen
webhooks-switch-on-without-open = Aanzetten zonder wachtende gebeurtenissen…
webhooks-switch-on-without-short = Aanzetten zonder…
webhooks-switch-on-without-consequence = Wachtende gebeurtenissen vervallen. Ze blijven in de lijst met gebeurtenissen van de API, en elke kan opnieuw worden verzonden.
webhooks-change = Bewerken
webhooks-roll = Geheim vernieuwen
webhooks-roll-open = Geheim vernieuwen…
webhooks-roll-consequence = Bezorgingen worden ondertekend met het nieuwe geheim, en 24 uur lang ook nog met het vorige.
webhooks-roll-title = Nieuw geheim van een webhook
webhooks-rolled = 24 uur lang worden bezorgingen ondertekend met het nieuwe en met het vorige geheim, zodat je de ontvanger intussen het nieuwe kunt geven.
webhooks-rolled-lost = Bezorgingen die hebben gewacht, worden nu verzonden, ondertekend met alleen het nieuwe geheim. Geef het meteen aan de ontvanger.
webhooks-new-secret = Het nieuwe geheim
webhooks-delete = Webhook verwijderen
webhooks-delete-open = Webhook verwijderen…
webhooks-delete-consequence = Wachtende bezorgingen worden niet verzonden. Dit kan niet ongedaan worden gemaakt.

## Bezorgingen van webhooks

webhooks-recent = Recente bezorgingen
webhooks-none-sent = Er is nog niets verzonden. Een test wordt binnen een minuut verzonden.
webhooks-none-older = Er zijn geen oudere bezorgingen.
webhooks-older = Oudere bezorgingen
webhooks-event = Gebeurtenis
webhooks-answer = Antwoord
webhooks-attempts = Pogingen
webhooks-made = Gemaakt
webhooks-webhook = Webhook
webhooks-delivered = Bezorgd
webhooks-given-up = Opgegeven
webhooks-waiting = Wacht
webhooks-next-attempt = volgende poging op <time></time>
webhooks-replaced = vervangen door een nieuwere
webhooks-sent-again = opnieuw verzonden
webhooks-resend = Opnieuw verzenden
webhooks-given-up-since = Bezorgingen die zijn opgegeven sinds
webhooks-since-problem = moet een datum en een tijd zijn, zoals 2026-11-20T09:15
webhooks-delivery-of = Bezorging van { $event }
webhooks-answered = <time></time>: beantwoord met { $status } in { $ms } ms
webhooks-unanswered = <time></time>: geen antwoord in { $ms } ms
webhooks-event-removed = De gebeurtenis is ouder dan 30 dagen en is verwijderd.

## Schermen

screens-about = Kassa's schrijven verkopen, kiosken en Scan & Order-pagina's schrijven bestellingen, elk met een eigen sleutel. De API is beschikbaar zolang er minstens één scherm is.
screens-none = De API is niet beschikbaar, omdat er geen scherm is: elke aanroep wordt beantwoord met <code>api_not_available</code>. Voeg er hieronder een toe.
screens-rename = Namen van schermen en locaties wijzigen
screens-add = Scherm toevoegen
screens-no-locations = Een scherm hoort bij een locatie, en dit account heeft er nog geen. Vraag de beheerder van deze server om er een toe te voegen.
screens-name-hint = Zoals “Kassa 1” of “Kiosk bij de deur”.
screens-type = Type
screens-kiosk = Kiosk
screens-scan-and-order = Scan & Order-pagina
screens-no-key = Geen sleutel
screens-key-created-at = Gemaakt op <time></time>
screens-create-key = Sleutel maken
screens-create-key-for = Sleutel maken voor { $name }
screens-key-created = Sleutel gemaakt
screens-former-key = Had het scherm al een sleutel, dan wordt die vanaf nu geweigerd.
screens-replace-key = Sleutel van { $name } vervangen
screens-replace-key-open = Sleutel vervangen…
screens-replace-key-open-of = Sleutel vervangen… van { $name }
screens-replace-key-consequence = De huidige sleutel wordt meteen geweigerd.
screens-revoke-key = Sleutel van { $name } intrekken
screens-revoke-key-open = Sleutel intrekken…
screens-revoke-key-open-of = Sleutel intrekken… van { $name }
screens-revoke-key-consequence = Het scherm kan niet schrijven totdat het een andere sleutel heeft.
screens-remove-consequence = De gegevens ervan blijven. De sleutel wordt meteen geweigerd.
screens-back = Terug naar de schermen

## Namen

names-title = Namen
names-about = Bonnen, bestellingen en voorraadmutaties houden de naam van het moment waarop ze zijn geschreven.
names-no-screens = Dit account heeft nog geen schermen.
names-add-screen = Scherm toevoegen
names-name-of = Naam van { $name }
names-rename = Naam wijzigen
names-rename-of = Naam van { $name } wijzigen

## Activiteit

activity-about = Wie wat heeft gewijzigd: de wijzigingen door mensen, en die van prijzen, namen en voorraadtellingen door andere software. Verkopen staan in het journaal. Regels worden { $days } dagen bewaard.
activity-none = Hier staat niets.
activity-older = Oudere wijzigingen
activity-kind = Over
activity-kind-any = Alles
activity-all = Alle wijzigingen
activity-who = Wie
activity-more = En nog { $count }.
activity-operator = De beheerder
activity-service = De dienst
activity-former-user = Een voormalige gebruiker
activity-token = Token { $name }
activity-screen = Scherm { $name }
activity-change = <a>{ $object }</a>: { $action }
activity-change-at = <a>{ $object }</a>: { $action } bij { $location }
activity-value = { $field }: { $value }
activity-no-value = geen
activity-yes = ja
activity-no = nee
activity-action-create = nieuw
activity-action-change = gewijzigd
activity-action-delete = verwijderd
activity-action-roll = geheim vernieuwd
activity-action-test = getest
activity-action-resend = { webhooks-sent-again }
activity-action-export = geëxporteerd
activity-action-erase = gewist
activity-action-blank = naam verwijderd
activity-action-blank-orders = namen uit bestellingen verwijderd
activity-action-blank-receipts = namen uit bonnen verwijderd
activity-action-purge-orders = oude bestellingen verwijderd
activity-action-use = gebruikt
activity-object-product = { problem-word-product }
activity-object-category = { problem-word-category }
activity-object-option-group = optiegroep
activity-object-option = optie
activity-object-location = { problem-word-location }
activity-object-screen = { problem-word-screen }
activity-object-screen-key = schermsleutel
activity-object-token = { problem-word-token }
activity-object-webhook = { problem-word-webhook }
activity-object-user = { problem-word-user }
activity-object-sign-in = inloggegevens
activity-object-passkey = passkey
activity-object-single-sign-on = single sign-on
activity-object-invitation = uitnodiging
activity-object-session = sessie
activity-object-account = account
activity-object-sandbox = sandbox
activity-field-name = { word-name }
activity-field-price = { word-price }
activity-field-stock = { section-stock }
activity-field-external-id = { word-code }
activity-field-description = Omschrijving
activity-field-vat-rate = { word-vat }
activity-field-barcode = { word-barcode }
activity-field-category-id = { word-category }
activity-field-is-active = { products-for-sale }
activity-field-is-available = Beschikbaar
activity-field-available-from = Beschikbaar vanaf
activity-field-available-until = Beschikbaar tot
activity-field-image-url = Afbeelding
activity-field-option-group-ids = { overview-option-groups }
activity-field-position = Positie
activity-field-min-select = Minste keuzes
activity-field-max-select = Meeste keuzes
activity-field-sandbox = { section-sandbox }
activity-field-requires-second-factor = Tweestapsverificatie verplicht
activity-field-erasures = Gepland wissen
activity-field-retention = Bewaartermijnen
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
activity-field-revoked-at = Ingetrokken
activity-field-prefix = Begint met
activity-field-url = URL
activity-field-events = { field-events }
activity-field-switched-off = { webhooks-switched-off }
activity-field-enabled-at = Ingeschakeld
activity-field-password = { word-password }
activity-field-password-set-at = Wachtwoord ingesteld
activity-field-added-at = { passkeys-added }
activity-field-issuer = { field-issuer }
activity-field-client-id = { field-clientId }
activity-field-client-secret = { field-clientSecret }
activity-field-rows = Gegevens
activity-author-any = Iedereen
activity-author-unknown = Een voormalige gebruiker of token, of een voormalig scherm
activity-only = Alleen de wijzigingen van: { $object }
activity-fields = Gewijzigde velden
activity-field = Veld
activity-before = Eerst
activity-after = Daarna
activity-field-value = Waarde
activity-not-shown = gewijzigd, niet getoond
activity-action-session-create = ingelogd
activity-action-session-delete = beëindigd
activity-off-failures = door mislukte bezorgingen
activity-off-owner = door de eigenaar
activity-whole-account = het hele account
activity-days = { $count ->
    [one] 1 dag
   *[other] { $count } dagen
}
activity-retention-order-days = { problem-word-orders }
activity-retention-person-days = namen van klanten en medewerkers
activity-retention-event-days = gebeurtenissen
activity-retention-delivery-days = log van bezorgingen
activity-retention-request-days = laatste verzoeken van tokens
activity-retention-journal-days = journaal na het wissen

## Sandbox

sandbox-about = Niets hier is echt. Elke knop doet wat een winkel zou doen, met alle gevolgen: totalen, voorraad, gebeurtenissen en webhooks.
sandbox-sale = Iets verkopen
sandbox-sale-effect = Een kassa schrijft een verkoop.
sandbox-refund = De laatste verkoop terugnemen
sandbox-refund-effect = De kassa schrijft een retour.
sandbox-z-report = De kassa afsluiten
sandbox-z-report-effect = De kassa schrijft een Z-rapport.
sandbox-order = Iets bestellen
sandbox-order-effect = Een kiosk plaatst een bestelling.
sandbox-order-step = Een bestelling verder brengen
sandbox-order-step-effect = De bestelling die het verst gevorderd is, gaat een stap verder.
sandbox-day = Een verkoopdag
sandbox-day-effect = Verkopen, retouren en bestellingen van 9 tot 19 uur, vandaag tot nu, en een Z-rapport.
sandbox-day-of = van
sandbox-today = vandaag
sandbox-yesterday = gisteren
sandbox-days-ago = { $days } dagen geleden
sandbox-clock = De klok
sandbox-time = Hier is het <time></time>.
sandbox-time-ahead = Hier is het <time></time>, vooruit op de echte tijd.
sandbox-advance = Zet de klok vooruit
sandbox-advance-by = met
sandbox-by-minute = een minuut
sandbox-by-hour = een uur
sandbox-by-day = een dag
sandbox-by-week = een week
sandbox-by-days = { $days } dagen
sandbox-advance-effect = Als je de klok vooruitzet, verlopen tokens en sessies, komen nieuwe pogingen van webhooks aan de beurt en eindigen dagen. Terug kan niet.
sandbox-advance-hint = Voor alle winkels van deze server. Na een week moet je opnieuw inloggen.
sandbox-no-advance = De klok kan niet vooruit: deze server heeft een echt account, waarvan de tijd zou meelopen.
sandbox-unknown = er is geen simulatie met deze naam; gebruik de knoppen van de pagina

## Overzicht

overview-id = ID
overview-currency = Valuta
overview-categories = Categorieën
overview-option-groups = Optiegroepen
overview-stored = Opgeslagen
overview-of = { $used } van { $most }
overview-uncounted = Nog niet geteld
overview-no-screen = De API is niet beschikbaar, omdat dit account geen scherm heeft: geen kassa, kiosk of Scan & Order-pagina. Totdat je <a>er een toevoegt</a>, wordt elke aanroep beantwoord met <code>api_not_available</code>.
overview-near-limit = Dit account heeft bijna een opslaglimiet bereikt. Wat daarboven komt, wordt geweigerd met <code>limit_reached</code>: verwijder gegevens die je niet nodig hebt, of vraag de beheerder van deze server om meer ruimte. Bij verwijderen komt de ruimte van gebeurtenissen na 30 dagen vrij.
overview-no-locations = Dit account heeft nog geen locaties. Vraag de beheerder van deze server om er een toe te voegen.
overview-api-address = Adres van de API
overview-api-reference = API-referentie

## Velden van problemen zonder formulierveld

field-name = { word-name }
field-email = E-mail
field-password = { word-password }
field-currentPassword = Huidig wachtwoord
field-passkey = Passkey
field-provider = Aanbieder
field-user = Gebruiker
field-session = Sessie
field-token = Token
field-invitation = Uitnodiging
field-secondFactor = { second-factor-title }
field-requiresSecondFactor = { second-factor-title }
field-roles = Rollen
field-language = Taal
field-issuer = Issuer
field-clientId = Client-ID
field-clientSecret = Client secret
field-url = { word-address }
field-events = Gebeurtenissen
field-locationId = { word-location }
field-locationIds = { word-locations }
field-expiresAt = Vervaltijd
field-ids = { section-products }
field-change = Wijziging
field-categoryId = { word-category }
field-priceCents = { word-price }
field-vatRate = { word-vat }
field-daysAgo = { period-day }
field-advanceBySeconds = Vooruit
field-from = Vanaf
field-to = Tot en met

## Problemen

problem-length = moet 1 tot { $most } tekens hebben, niet { $count }
problem-too-long = mag niet meer dan { $most } tekens hebben
problem-too-short = moet minstens { $least } tekens hebben
problem-missing = ontbreekt; vul het in
problem-required = is verplicht; vul het in
problem-empty = mag niet leeg zijn
problem-one-line = moet één regel zijn van hoogstens { $most } tekens
problem-control-characters = mag geen onzichtbare stuurtekens hebben (U+{ $code }); typ het opnieuw
problem-hidden-characters = mag geen verborgen tekens hebben (U+{ $code }); typ het opnieuw
problem-hidden-characters-in-name = mag geen verborgen tekens hebben (U+{ $code }); typ de naam opnieuw, zonder dat teken
problem-invisible-characters = mag geen onzichtbare tekens hebben (U+{ $code }); typ het opnieuw
problem-white-space = mag geen spaties, stuurtekens of backslashes hebben
problem-email = moet een e-mailadres zijn, zoals naam@example.com
problem-link = moet een volledige link zijn, die begint met https://
problem-link-such-as = moet een volledige link zijn, zoals https://example.com/brood.jpg
problem-link-scheme = moet beginnen met https://
problem-link-scheme-or-network = moet beginnen met https://, tenzij de link naar een netwerk gaat dat de server toestaat
problem-link-port = mag geen poort noemen
problem-link-port-or-network = mag geen poort noemen, tenzij de link naar een netwerk gaat dat de server toestaat
problem-link-user = mag geen gebruikersnaam of wachtwoord hebben
problem-link-with-user = mag geen gebruikersnaam of wachtwoord bevatten
problem-link-host = moet de naam van een server hebben
problem-link-host-unknown = moet naar een server gaan die te vinden is; controleer de link
problem-link-public = moet naar een openbaar adres op internet gaan
problem-link-not-public = gaat niet naar een openbaar adres op internet
problem-link-unchecked = kan nu niet worden gecontroleerd: probeer het over een minuut opnieuw
problem-link-query = mag niets hebben na een vraagteken of hekje
problem-range = moet van { $least } tot en met { $most } zijn, niet { $number }
problem-percentage = moet een percentage van 0 tot en met 100 zijn, met hoogstens twee decimalen, zoals 9 of 5,5
problem-percentage-not = moet een percentage van 0 tot en met 100 zijn, niet { $sent }
problem-quantity = moet een getal zijn van hoogstens 1000000000, ook onder nul, met hoogstens drie decimalen
problem-zero = mag niet 0 zijn
problem-delivery-below-zero = moet bij een levering boven 0 zijn, niet { $number }; haal voorraad eraf met een correctie
problem-stock-range = de voorraad is { $number }, en moet van -{ $least } tot en met { $most } blijven
problem-decimals = moet een getal zijn met hoogstens { $digits } decimalen, niet { $sent }
problem-whole = moet een heel getal van 0 tot en met { $most } zijn
problem-whole-seconds = moet een heel aantal seconden van { $least } tot en met { $most } zijn, dat is 31 dagen
problem-date = moet een datum zijn in de vorm JJJJ-MM-DD, zoals 2026-11-20
problem-date-or-time = moet een datum zijn, zoals 2026-11-20, of een tijd, zoals 2026-11-20T09:15:30Z
problem-timestamp = moet een tijd zijn, zoals 2026-11-20T09:15:30Z
problem-order-of-days = mag niet na het einde liggen
problem-one-of = moet een van deze zijn: { $known }, niet { $sent }
problem-in-future = moet in de toekomst liggen
problem-days = moet { $least } tot en met { $most } dagen zijn
problem-repeated = staat er al eerder; haal het weg
problem-repeated-location = is een locatie die er al eerder staat; haal die weg
problem-no-location = is geen locatie van dit account; kies een andere
problem-one-scope = moet minstens één scope hebben
problem-scopes-once = mag elke scope maar één keer hebben
problem-no-scope = heeft geen scope { $scope }
problem-no-fields = moet minstens één veld hebben
problem-products = moet 1 tot { $most } producten noemen, niet { $count }
problem-products-owner = alleen de eigenaar van het account wijzigt veel producten tegelijk
problem-at-other-location = { $word } { $id } hoort bij een andere locatie
problem-not-at-location = er is geen { $word } { $id } op deze locatie
problem-not-in-account = er is geen { $word } { $id } in dit account
problem-not-there = er is geen { $word } { $id }
problem-no-account = er is geen account { $id }
problem-no-location-there = er is geen { $word } { $id }; laad de pagina opnieuw om te zien welke er zijn
problem-no-token-there = er is geen { $word } { $id }; laad de pagina opnieuw om te zien welke er zijn
problem-most = dit account heeft { $most } { $word }, en dat is het maximum; je moet er eerst een { $verb }
problem-room-of-location = deze locatie heeft { $count } { $word }, en mag er { $most } hebben; verwijder { $word } die je niet nodig hebt, of vraag de beheerder van de server om meer
problem-room-of-account = dit account bewaart { $count } bytes, en mag er { $most } bewaren; verwijder gegevens die je niet nodig hebt, of vraag de beheerder van de server om meer
problem-lacks-right = dit hoort niet bij je rol; vraag het aan een eigenaar van het account
problem-lacks-right-everywhere = je hebt dit recht alleen op sommige locaties; vraag het aan een eigenaar van het account
problem-lacks-second-factor = dit account vereist tweestapsverificatie: stel die eerst in, op de pagina Account
problem-operator-only = alleen de beheerder van deze server mag dit doen
problem-email-of-other = is het adres van een andere gebruiker van dit account
problem-email-taken = is niet beschikbaar; kies een ander adres
problem-user-is-self = ben je zelf: wijzig je eigen adres en wachtwoord met je huidige wachtwoord
problem-role-alone = een rol voor het hele account moet de enige zijn; haal de andere weg
problem-role-owner = eigenaar is een rol voor het hele account, niet voor een locatie
problem-last-owner = dit is de laatste eigenaar van het account; maak eerst een andere gebruiker eigenaar
problem-wrong = is onjuist
problem-wrong-password = is onjuist, of het e-mailadres is dat; vraag om een nieuwe uitnodiging als je het kwijt bent
problem-weak-password = is makkelijk te raden: een veelgebruikt wachtwoord, of een woord, een datum of een rij toetsen met weinig eromheen; kies drie of vier losse woorden
problem-weak-password-of-names = is makkelijk te raden uit de namen van je bedrijf, je locaties of je mensen; kies drie of vier woorden die daar niets mee te maken hebben
problem-too-many-attempts = te veel pogingen; wacht { $seconds } seconden
problem-too-many-sign-ins = er loggen nu te veel mensen tegelijk in; wacht { $seconds } seconden
problem-too-many-requests = te veel { $word } (hoogstens { $most } per minuut); wacht { $seconds } seconden
problem-session-ended = is verlopen; log opnieuw in
problem-token-ended = { $problem }; vraag de eigenaar van de winkel om een token
problem-gone = bestaat niet meer
problem-code-wrong = is onjuist; typ de zes cijfers die de app nu toont, en controleer de klok van je telefoon
problem-code-used = is al gebruikt; wacht op de volgende
problem-code-of-no-app = hoort bij geen app; begin opnieuw
problem-code-recovery = is geen ongebruikte herstelcode
problem-code-too-many = kan niet meer worden gecontroleerd, na te veel onjuiste codes vandaag; gebruik een herstelcode, of probeer het morgen opnieuw
problem-code-no-key = de server is de sleutel van zijn geheimen kwijt en kan geen codes controleren; gebruik een herstelcode, of vraag het aan de beheerder
problem-factor-there = is er al; verwijder die voordat je een andere instelt
problem-factor-not-there = is er niet
problem-factor-locks-out = zou je buitensluiten; stel eerst tweestapsverificatie in voor jezelf
problem-passkey-there = is er al
problem-passkey-gone = is er niet, of is al eerder verwijderd
problem-passkey-most = is er een te veel: je hebt er { $most }; verwijder er eerst een
problem-passkey-not-begun = was niet begonnen, of duurde te lang; begin opnieuw
problem-passkey-unknown = is hier niet bekend; gebruik een andere, of log in met je wachtwoord en een andere tweede stap
problem-passkey-late = is te lang geleden gevraagd, of intussen gebruikt; probeer het opnieuw
problem-passkey-elsewhere = is van een andere dienst; kies er een voor dit dashboard
problem-passkey-unreadable = is niet verstuurd zoals browsers dat doen; probeer het opnieuw, en met een andere browser als dat ook mislukt
problem-passkey-copied = is misschien gekopieerd; log op een andere manier in, of vraag het aan een eigenaar of de beheerder, en verwijder hem
problem-passkey-other-address = is gebruikt op een ander adres dan het dashboard voor zijn gebruikers heeft; open het dashboard daar
problem-passkey-changed = is intussen op het apparaat veranderd; verwijder hem en voeg hem opnieuw toe
problem-passkey-unverified = heeft de vingerafdruk, het gezicht of de pincode van het apparaat nodig
problem-passkey-refused = is niet geaccepteerd; probeer het opnieuw
problem-provider-needed = is de manier om in te loggen: gebruik het inlogadres van je bedrijf
problem-provider-needs-no-password = logt in via de aanbieder van het account, en heeft geen wachtwoord nodig
problem-provider-none = dit account heeft zo'n aanbieder niet; log in met je wachtwoord
problem-provider-no-key = de server is de sleutel van zijn geheimen kwijt en kan je aanbieder niet bereiken; log in met je wachtwoord, of vraag het aan de beheerder
problem-provider-spaces = heeft bij de aanbieder een naam met spaties eromheen; vraag de beheerder ervan om die te herstellen
problem-provider-no-email = heeft geen e-mailadres dat de aanbieder heeft gecontroleerd; vraag het aan de beheerder van de aanbieder
problem-provider-linked = is gekoppeld aan iemand anders bij de aanbieder; vraag een eigenaar van het account om de gebruiker te verwijderen en opnieuw toe te voegen
problem-provider-no-user = is geen gebruiker van dit account; vraag een eigenaar om je toe te voegen met het adres dat je aanbieder heeft
problem-provider-no-answer = je aanbieder geeft geen bruikbaar antwoord: { $problem }
problem-provider-refused = je aanbieder heeft geweigerd: { $problem }
problem-provider-invalid = het antwoord van je aanbieder is niet geldig: { $problem }
problem-provider-other-sign-in = het is voor een andere poging om in te loggen; begin opnieuw
problem-provider-other = het is van een andere aanbieder
problem-provider-unnamed = het noemt de aanbieder niet
problem-provider-no-endpoint = er is geen token-endpoint
problem-provider-no-id-token = het heeft geen id-token
problem-provider-too-large = het antwoord is te groot
problem-provider-too-slow = het duurt te lang
problem-provider-address = het adres { $problem }
problem-provider-host = de server is niet te vinden
problem-provider-host-later = de server kon niet worden opgezocht; probeer het opnieuw
problem-provider-unreached = er is geen verbinding mee te krijgen
problem-provider-certificate-expired = het TLS-certificaat is verlopen
problem-provider-certificate-other = het TLS-certificaat is voor een andere servernaam
problem-provider-certificate-untrusted = het TLS-certificaat wordt niet vertrouwd
problem-provider-tls = TLS mislukte
problem-provider-not-http = het antwoord is geen geldige HTTP
problem-provider-broke-off = de verbinding werd verbroken
problem-no-mail = deze server verstuurt geen e-mail; vraag een eigenaar van je account, of de beheerder van deze server, om een nieuwe uitnodiging
problem-invitation-ended = is vervangen, gebruikt of verlopen; vraag om een nieuwe, of log in
problem-no-secret-key = deze server heeft geen sleutel om een geheim mee te bewaren; de beheerder kan het bestand met sleutels terugzetten, of een nieuwe sleutel maken met `connect-server secrets rotate`
problem-webhook-off = deze webhook staat uit; zet hem eerst aan
problem-test-location = dit account heeft geen locatie voor een test van dit type; stuur een ping
problem-delivery-gone = webhook { $webhook } heeft geen bezorging { $delivery }; bezorgingen worden 30 dagen bewaard
problem-event-gone = de gebeurtenis van deze bezorging is ouder dan 30 dagen en verwijderd
problem-endpoint-too-slow = Het endpoint antwoordde niet binnen { $seconds } seconden.
problem-endpoint-redirects = Het endpoint antwoordde { $status }. Doorverwijzingen worden niet gevolgd: vul het adres in waarnaar het doorverwijst.
problem-endpoint-status = Het endpoint antwoordde { $status }. Het moet 200 tot en met 299 antwoorden.
problem-endpoint-no-event = De gebeurtenis bestaat niet meer.
problem-endpoint-event-damaged = De gebeurtenis kan niet worden gelezen.
problem-endpoint-no-address = Het adres is geen webadres.
problem-endpoint-address = Het adres { $problem }.
problem-endpoint-host = De server van het adres is niet te vinden.
problem-endpoint-unreached = Het endpoint nam geen verbinding aan.
problem-endpoint-certificate-expired = Het TLS-certificaat van het endpoint is verlopen.
problem-endpoint-certificate-other = Het TLS-certificaat van het endpoint is voor een andere servernaam.
problem-endpoint-certificate-untrusted = Het TLS-certificaat van het endpoint wordt niet vertrouwd: misschien is het zelf ondertekend, of stuurt het endpoint de tussenliggende certificaten niet mee.
problem-endpoint-tls = Er was geen beveiligde verbinding met het endpoint: TLS mislukte.
problem-endpoint-not-http = Het antwoord van het endpoint is geen geldige HTTP, of heeft te veel headers.
problem-endpoint-broke-off = De verbinding werd verbroken voordat het hele antwoord van het endpoint binnen was.
problem-erasure-none = het wissen hiervan is niet gepland
problem-erasure-begun = de bedenktijd is voorbij, en het wissen is bezig
problem-export-place = dit is geen plaats in de export van dit account. Is er intussen een locatie of webhook verwijderd, begin dan opnieuw
problem-server-saves-nothing = de server kan op dit moment niets opslaan, en er is niets opgeslagen; { $problem }
problem-server-failed = de server kon dit nu niet doen; { $problem }
problem-server-damaged = een gegeven dat hiervoor nodig is, is beschadigd; de beheerder van de server vindt het met `connect-server check`
problem-try-later = probeer het later opnieuw
problem-try-after-check = kijk of het gedaan is, en probeer het opnieuw als dat niet zo is
problem-sandbox-screen-name = is die van een nagebootst scherm van de sandbox; kies een andere
problem-sandbox-none = dit account is geen sandbox: er wordt niets in nagebootst
problem-sandbox-no-product = op deze locatie is niets te koop: voeg eerst een product met een prijs toe
problem-sandbox-no-order = er is geen open bestelling: boots er eerst een na
problem-sandbox-no-sale = er is geen verkoop die kan worden teruggenomen: boots er eerst een na
problem-sandbox-live-account = deze server heeft een echt account, waarvan de tijd zou meelopen; gebruik een server met alleen sandboxes
problem-sandbox-clock-end = de klok loopt tien jaar voor, en verder kan niet; begin met een andere gegevensmap
problem-word-product = product
problem-word-category = categorie
problem-word-order = bestelling
problem-word-transaction = bon
problem-word-z-report = Z-rapport
problem-word-location = locatie
problem-word-screen = scherm
problem-word-token = token
problem-word-user = gebruiker
problem-word-webhook = webhook
problem-word-products = producten
problem-word-categories = categorieën
problem-word-orders = bestellingen
problem-word-transactions = bonnen
problem-word-z-reports = Z-rapporten
problem-word-stock-movements = voorraadmutaties
problem-word-screens = schermen
problem-word-tokens = tokens
problem-word-users = gebruikers
problem-word-webhooks = webhooks
problem-word-in-use = { $word } in gebruik
problem-word-requests-of-user = verzoeken van deze gebruiker
problem-word-requests-of-address = verzoeken van dit adres
problem-word-requests-refused = verzoeken van dit adres zonder geldige sleutel
problem-word-delete = verwijderen
problem-word-remove = verwijderen
problem-word-revoke = intrekken

## Tables
file-separator = ;
table-save = Opslaan als CSV-bestand
table-part = Gesorteerd binnen deze pagina.
table-too-long = Een bestand heeft hoogstens { $most } rijen. Beperk de lijst met een filter

## Requests
section-requests = Verzoeken
requests-about = De laatste 500 verzoeken van elk token, hoogstens 30 dagen oud. Vraag je de maker van de software om hulp, geef dan het verzoek-ID door: het staat ook in het antwoord op het verzoek.
requests-none = Geen verzoek gevonden.
request-outcome-done = Gelukt
request-outcome-refused = Geweigerd
request-outcome-failed = Mislukt
requests-text = Verzoek-ID, sleutel of pad
requests-client = Vanaf
## Tasks of tokens

scope-pos-read = Verkopen inzien
scope-allows-pos-read = Bonnen, Z-rapporten en de omzet per dag.
scope-catalog-read = Assortiment inzien
scope-allows-catalog-read = Categorieën, producten met hun prijzen, en optiegroepen.
scope-catalog-write = Assortiment wijzigen
scope-allows-catalog-write = Categorieën, producten en optiegroepen toevoegen, wijzigen en verwijderen.
scope-stock-read = Voorraad inzien
scope-allows-stock-read = De voorraad per product, en hoe die tot stand kwam.
scope-stock-write = Voorraad wijzigen
scope-allows-stock-write = Voorraad tellen, en leveringen en correcties invoeren.
scope-orders-read = Bestellingen inzien
scope-allows-orders-read = Bestellingen van klanten bij kiosken en via Scan & Order.
tokens-tasks = Taken
tokens-tasks-of = Taken bij { $location }
tokens-tasks-at = { $tasks } (bij { $location })
tokens-tasks-at-some = { $tasks } (bij { $count } locaties)
tokens-all-locations = Alle locaties
tokens-all-locations-hint = Dezelfde taken bij elke locatie die er nu is. Voor een locatie die er later bijkomt, is een ander token nodig.
tokens-single-locations = Taken bij afzonderlijke locaties
tokens-made = Gemaakt
tokens-status-in-use = In gebruik
tokens-status-expires-in = { $days ->
    [one] Verloopt over 1 dag
   *[other] Verloopt over { $days } dagen
}
tokens-status-expired = Verlopen
tokens-status-revoked = Ingetrokken
tokens-presets = Begin met de taken van een veelgebruikt soort programma. Je kunt ze nog aanpassen voordat je het token maakt.
tokens-preset-bookkeeping = Boekhouding
tokens-preset-for-bookkeeping = Leest bonnen, Z-rapporten en omzet voor de boekhouding. Wijzigt niets.
tokens-preset-webshop = Webwinkel
tokens-preset-for-webshop = Toont het assortiment online, en houdt de voorraad van winkel en webwinkel gelijk.
tokens-preset-kiosk = Kiosk
tokens-preset-for-kiosk = Toont producten, voorraad en de stand van bestellingen op een scherm. Wijzigt niets.
tokens-preset-everything = Alles
tokens-preset-for-everything = Alle taken van deze lijst, voor software die de hele winkel beheert.
## Search
search-title = Zoeken
search-too-long = mag hoogstens { $most } tekens hebben
search-hints = Dit kun je vinden:
search-hint-catalog = producten op woorden uit de naam, op code of barcode, en categorieën en optiegroepen op woorden uit de naam
search-hint-sales = bonnen en bestellingen op nummer
search-hint-webhooks = webhooks op een deel van het adres, en hun bezorgingen op id
search-hint-tokens = tokens op een deel van de naam, of op het zichtbare begin van de waarde, en verzoeken op verzoek-ID of idempotentiesleutel
search-hint-users = gebruikers op een deel van de naam of het e-mailadres
search-hint-ids = dit alles op id
search-most = Van elke soort worden hoogstens { $most } treffers getoond.
search-nothing = Er is niets gevonden voor “{ $text }”. Probeer het met minder woorden, of met alleen het begin van het laatste woord.
search-first = Treffers bij { $location } staan vooraan, daarna die bij de andere locaties.
search-first-of-many = Treffers bij { $location } staan vooraan. Er is bij maar { $most } locaties gezocht. Zoek je bij een andere locatie, open dan een van haar pagina's en zoek van daaruit.
search-receipt = Bon { $number }
search-order = Bestelling { $number }
search-whole = Alles tonen: { $kind }
search-whole-at = Alles tonen bij { $location }: { $kind }
## Minimums of stock

notice-stock-minimum-removed = Het minimum is verwijderd.
notice-stock-minimum-set = Het minimum is opgeslagen.
stock-minimum = Minimum
stock-minimum-title = Minimum instellen
stock-minimum-hint = Heb je minder dan dit op voorraad, dan staat er “{ stock-low }” bij het product. Laat het veld leeg als er geen minimum is.
stock-minimum-hint-untracked = Heb je minder dan dit op voorraad, dan staat er “{ stock-low }” bij het product, vanaf de eerste telling of levering. Laat het veld leeg als er geen minimum is.
stock-missing = Tekort
stock-low = Onder minimum
stock-under-minimum = Onder het minimum
stock-none-low = Geen enkel product zit onder het minimum.
stock-of-minimum = { $quantity } op voorraad, minimum { $minimum }
stock-low-count = { $count ->
    [one] 1 product zit onder het minimum
   *[other] { $count } producten zitten onder het minimum
}
stock-low-more = { $count ->
    [one] Minstens 1 product zit onder het minimum
   *[other] Minstens { $count } producten zitten onder het minimum
}
stock-sheet-low = Alleen producten onder het minimum
stock-sheet-any = Alle producten tellen
activity-object-stock-minimum = minimumvoorraad
activity-field-minimum = { stock-minimum }
## Producten: bewerken, prijzen, ongedaan maken
products-new = Nieuw product
products-edit = Bewerken
products-edit-of = { $product } bewerken
products-code-taken = is die van een ander product
products-now = Nu: { $value }
products-changed-meanwhile = het product is intussen gewijzigd. Je invoer staat er nog; sla nog eens op om de andere wijziging te vervangen
products-preview = Nieuwe prijzen bekijken…
products-last-bulk = Laatste bulkwijziging: { $products ->
    [one] 1 product, op
   *[other] { $products } producten, op
}
products-undo = Ongedaan maken
prices-how = Verhogen of verlagen
prices-by = Met hoeveel
prices-rounding = Afronden op
prices-percent-up = Verhogen met een percentage
prices-percent-down = Verlagen met een percentage
prices-amount-up = Verhogen met een bedrag
prices-amount-down = Verlagen met een bedrag
prices-round-1 = centen
prices-round-5 = 5 cent
prices-round-10 = 10 cent
prices-must-be-percentage = moet een percentage zijn met hoogstens één decimaal, zoals 10 of 2,5
prices-title = Nieuwe prijzen
prices-old = Huidige prijs
prices-new = Nieuwe prijs
prices-summary = Er is nog niets gewijzigd. Met een nieuwe prijs: { $changed }. Met dezelfde prijs als nu: { $same }.
prices-left = Deze producten blijven zoals ze zijn, want bij deze kan de wijziging niet:
prices-change = { $changed ->
    [one] 1 prijs wijzigen
   *[other] { $changed } prijzen wijzigen
}
prices-back = Terug naar de producten
notice-bulk-undone = De laatste bulkwijziging is ongedaan gemaakt: de producten zijn weer zoals ze waren.
notice-product-made = Het product is toegevoegd.
notice-product-saved = Het product is opgeslagen.
once-products = Controleer eerst de lijst met producten, en vul het formulier dan zo nodig opnieuw in.
once-to-products = Naar de producten
problem-external-id = mag alleen de letters A tot en met Z en a tot en met z, cijfers, spaties en . _ - / hebben
problem-price-below-zero = zou onder 0 komen
problem-price-too-high = zou boven de hoogst mogelijke prijs komen
problem-price-change-most = mag niet hoger zijn dan de hoogst mogelijke prijs
problem-price-change-percent = moet van -100 tot en met { $most } procent zijn
problem-bulk-gone = kan niet ongedaan worden gemaakt: dat is al gebeurd, er kwam een andere bulkwijziging na, of de wijziging is ouder dan { $days } dagen
problem-bulk-unfit = kan niet ongedaan worden gemaakt: een categorie of optiegroep van een product bestaat niet meer, of een code is al in gebruik; wijzig de producten met de hand
problem-bulk-changed = kan niet ongedaan worden gemaakt: { $count } van de { $all } producten zijn daarna gewijzigd of verwijderd; wijzig de rest met de hand
## Webhooks: health, filters, tests and deliveries sent again
webhooks-works = Hij werkt.
webhooks-untried = Er is nog geen poging gedaan.
webhooks-fails = Mislukt sinds <since></since>: { $count ->
    [one] één poging
   *[other] { $count } pogingen
} op rij.
webhooks-fails-next = Mislukt sinds <since></since>: { $count ->
    [one] één poging
   *[other] { $count } pogingen
} op rij. Volgende poging: <next></next>.
webhooks-since = sinds <time></time>
webhooks-day = Laatste 24 uur
webhooks-week = Laatste 7 dagen
webhooks-median = Antwoordtijd (mediaan)
webhooks-ms = { $ms } ms
webhooks-share = { $percent } % van { $count }
webhooks-no-attempts = Geen pogingen
webhooks-attempts-succeeded = { $percent } % van { $count ->
    [one] één poging
   *[other] { $count } pogingen
} gelukt.
webhooks-answer-times = Antwoordtijd: mediaan { $median } ms, langste { $slowest } ms.
webhooks-of-last = Dit gaat over de laatste { $count ->
    [one] bezorging
   *[other] { $count } bezorgingen
}.
webhooks-waiting-more = Meer dan { $count }
webhooks-see-failure = Bekijk de bezorging
webhooks-see-replacement = Bekijk de bezorging die ervoor in de plaats kwam
webhooks-off-by-user = Uitgezet door { $name } op <time></time>.
webhooks-off-by-operator = Uitgezet door de beheerder van deze server op <time></time>.
webhooks-off-by-somebody = Met de hand uitgezet op <time></time>, dus niet vanwege mislukte pogingen.
webhooks-test-type = Testen met
webhooks-test-about = Een test van een soort heeft de vorm van een echte gebeurtenis, met verzonnen gegevens. Hij gaat alleen naar deze webhook en staat in geen enkele lijst met gebeurtenissen. Zijn sequence is 0, en die heeft geen enkele echte gebeurtenis. De gegevens bestaan niet: een ontvanger slaat id's over die hij niet kent.
webhooks-test-tag = Test
webhooks-none-match = Geen bezorging gevonden.
webhooks-choose = Kiezen
webhooks-choose-one = { $event } van { $time } kiezen
webhooks-choose-first = Kies eerst minstens één bezorging in de lijst.
webhooks-duration = Duur
webhooks-request-about = Elke poging verzendt dit, ondertekend met haar eigen tijd.
webhooks-resend-chosen = Gekozen bezorgingen opnieuw verzenden…
webhooks-resend-period = Opgegeven bezorgingen van een periode opnieuw verzenden…
webhooks-resend-title = Bezorgingen opnieuw verzenden
webhooks-resend-about = Bezorgingen die in een periode zijn opgegeven, worden opnieuw verzonden als nieuwe bezorgingen van dezelfde gebeurtenissen, 500 tegelijk, de nieuwste eerst.
webhooks-given-up-until = Bezorgingen die zijn opgegeven vóór
webhooks-until-hint = Leeg betekent: alle tot nu toe.
webhooks-until-problem = moet later zijn dan het begin
webhooks-count = Tellen
webhooks-resend-found = Gevonden
webhooks-resendable = { $count ->
    [0] Er is geen bezorging om opnieuw te verzenden.
    [one] Er kan één bezorging opnieuw worden verzonden.
   *[other] Er kunnen { $count } bezorgingen opnieuw worden verzonden.
}
webhooks-passed-over = { $count ->
    [one] Eén wordt overgeslagen
   *[other] { $count } worden overgeslagen
}: al eerder opnieuw verzonden, nog in de wachtrij, verouderd door een nieuwere telling, of van een gebeurtenis die is verwijderd.
webhooks-resend-rest = { $count ->
    [0] Oudere bezorgingen komen in een volgende stap.
    [one] Minstens één oudere bezorging komt in een volgende stap.
   *[other] Minstens { $count } oudere bezorgingen komen in een volgende stap.
}
webhooks-resend-now = { $count ->
    [0] Verder zoeken
    [one] Eén opnieuw verzenden
   *[other] { $count } opnieuw verzenden
}
webhooks-resend-next = De volgende opnieuw verzenden
webhooks-resent = { $count ->
    [0] Er wordt geen bezorging opnieuw verzonden.
    [one] Eén bezorging wordt opnieuw verzonden. Het resultaat staat zo meteen in de lijst.
   *[other] { $count } bezorgingen worden opnieuw verzonden. De resultaten staan zo meteen in de lijst.
}
once-resend = Bekijk de bezorgingen van de webhook voordat je er een opnieuw verzendt.
problem-deliveries = mag hoogstens { $most } bezorgingen noemen, niet { $count }
## Import of products
import-link = Importeren uit een CSV-bestand
import-title = Producten importeren
import-about = Met een CSV-bestand uit een spreadsheet of een andere kassa voeg je producten toe en wijzig je ze. Het bestand heeft één regel per product, onder een regel met kopjes. Een product wordt herkend aan zijn code, dus je kunt hetzelfde bestand nog eens importeren. Eerst worden alle regels gecontroleerd: er wordt niets opgeslagen voordat je het bevestigt.
import-file = CSV-bestand
import-file-hint = Hoogstens 2 MB en 10.000 regels, gescheiden door komma’s, puntkomma’s of tabs.
import-upload = Bestand inlezen
import-back = Naar de producten
import-too-large = is groter dan 2 MB; verdeel het over meerdere bestanden
import-not-csv = is geen CSV-bestand met meerdere kolommen; sla het in de spreadsheet op als CSV
import-no-lines = heeft geen regel met een product onder de kopjes
import-too-many-lines = heeft { $lines } regels; hoogstens { $most } kunnen in één keer worden geïmporteerd
import-too-many-columns = heeft { $columns } kolommen; hoogstens { $most } kunnen worden gelezen
import-sample = De eerste regels van het bestand
import-columns = Kolommen
import-columns-hint = Kies voor elk veld de kolom uit het bestand. Een veld zonder kolom, of met een lege cel, blijft zoals het is.
import-column = Kolom { $number }
import-no-column = Niet in het bestand
import-create-categories = Ontbrekende categorieën toevoegen
import-check = Alle regels controleren
import-other-file = Ander bestand kiezen
import-line = Regel
import-problem = Probleem
import-lines = Regels
import-created = Nieuwe producten
import-changed = Gewijzigd
import-unchanged = Ongewijzigd
import-faulty = Foute regels
import-left-out = Overgeslagen regels
import-report = Er is nog niets opgeslagen. Dit zou de import doen:
import-refused = Er is niets opgeslagen, want er zijn foute regels. Verbeter ze in het bestand, of kies ervoor om ze over te slaan.
import-skip-faulty = Foute regels overslaan
import-apply = Nu importeren
import-change-columns = Kolommen wijzigen
import-nothing-fine = Afgezien van de foute regels is er niets te importeren.
import-nothing-new = Alle producten zijn al zoals in het bestand.
import-problems = Problemen
import-first-problems = De eerste { $most } van { $count } worden getoond.
import-done = De import is klaar.
import-no-code = ontbreekt; geef elk product een eigen code
import-repeated = staat ook in regel { $line }
import-no-category = bestaat niet; voeg de categorie eerst toe, of laat ontbrekende categorieën toevoegen
import-shortened = is ingekort door een spreadsheet; geef de kolom daar de opmaak tekst, en vul de cel opnieuw in
import-price-too-high = mag hoogstens { $most } zijn
import-yes-or-no = moet ja of nee zijn
problem-blank-at-end = mag niet met een spatie beginnen of eindigen
problem-broken-form = het formulier is onderweg afgebroken; verstuur het opnieuw

## De grafieken van de eerste pagina

today-means = Betaalwijze
today-rate = Btw-tarief
today-turnover-in = Omzet in { $currency }
## Words of lists
word-problem = Probleem
word-result = Resultaat
tokens-tasks-differ = Verschilt per locatie
## Forms that keep what they were made for
problem-price-changed = is gewijzigd nadat de nieuwe prijs werd getoond
table-too-far = Voor dit bestand moeten te veel rijen worden doorzocht. Kies een kortere periode of een ander filter
