# The texts of mail in Dutch. See the English ones.

## Mail to users

if-not-you =
    Was u dit niet? Wijzig dan nu uw wachtwoord, beëindig alle andere sessies en verwijder elke passkey die niet van u is:

    { "    " }{ $account }

    Kunt u niet inloggen, vraag dan een andere eigenaar van { $business } of de beheerder van deze dienst om hulp.

invitation = Uw uitnodiging voor het dashboard van { $business }
    .text =
        U bent uitgenodigd voor het dashboard van { $business }. Kies hier uw wachtwoord:

        { "    " }{ $link }

        De link werkt één keer, tot { $until }. U logt in als { $to }.

        Kent u { $business } niet? Dan kunt u dit bericht negeren.

forgotten-password = Kies een nieuw wachtwoord voor { $business }
    .text =
        Iemand heeft om een nieuw wachtwoord gevraagd voor { $to } bij { $business }. Was u dat? Kies het dan hier:

        { "    " }{ $link }

        De link werkt één keer, tot { $until }.

        Was u het niet? Dan kunt u dit bericht negeren: uw wachtwoord blijft zoals het is.

new-device = Er is opnieuw ingelogd bij { $business }
    .text =
        { $to } heeft ingelogd met een browser die nog niet bekend was.

        { $facts }

        Was u dit? Dan hoeft u niets te doen. { if-not-you }
new-device-time = Tijd: { $at }
new-device-browser = Browser: { $browser }
new-device-address = Adres: { $address }

password-changed = Uw wachtwoord voor { $business } is gewijzigd
    .text =
        Het wachtwoord van { $to } is gewijzigd op { $at }. U bent overal elders uitgelogd.

        { if-not-you }

email-changed = Uw e-mailadres voor { $business } is gewijzigd
    .text =
        Vanaf nu logt u bij { $business } in als { $email }, niet meer als { $to }. Dit is gewijzigd op { $at }.

        Was u dit niet? Vraag dan meteen een andere eigenaar van { $business } of de beheerder van deze dienst om hulp.

factor-added = Een tweede factor voor { $business } is toegevoegd
    .text =
        Een tweede factor van { $to } is toegevoegd op { $at }.

        { if-not-you }
factor-removed = Een tweede factor voor { $business } is verwijderd
    .text =
        Een tweede factor van { $to } is verwijderd op { $at }.

        { if-not-you }

passkey-added = Een passkey voor { $business } is toegevoegd
    .text =
        De passkey "{ $name }" van { $to } is toegevoegd op { $at }.

        { if-not-you }
passkey-removed = Een passkey voor { $business } is verwijderd
    .text =
        De passkey "{ $name }" van { $to } is verwijderd op { $at }.

        { if-not-you }

provider-changed = De inlogprovider van { $business } is gewijzigd
    .text =
        Gebruikers van { $business } loggen nu in via { $issuer }. Dit is gewijzigd op { $at }.

        { if-not-you }
provider-removed = De inlogprovider van { $business } is gewijzigd
    .text =
        Gebruikers van { $business } loggen niet meer in via een provider. Dit is gewijzigd op { $at }.

        { if-not-you }

wrong-codes = Verkeerde codes bij het inloggen bij { $business }
    .text =
        Iemand gaf het juiste wachtwoord van { $to }, en daarna verkeerde codes van de tweede factor, op { $at }. Er is niemand ingelogd.

        { if-not-you }

erasure-planned = { $what } wordt gewist
    .text =
        Op { $at } is opdracht gegeven om { $what } te wissen, met alles wat erbij hoort. Dit gebeurt op { $erase_at }. Tot die tijd gaat alles door, en kan een eigenaar dit terugdraaien in het dashboard, op de pagina Privacy.

        { if-not-you }

token-expires = Het token "{ $name }" van { $business } verloopt binnenkort
    .text =
        Het token "{ $name }" ({ $prefix }…) van { $business } verloopt op { $expires_at }. Het programma dat het gebruikt, wordt vanaf dan geweigerd.

        Is het programma nog nodig? Maak dan op tijd een nieuw token in het dashboard en vul dat in bij het programma:

        { "    " }{ $link }

        Is het niet meer nodig? Dan hoeft u niets te doen.

## Mail about a webhook that was switched off

webhook-off = Een webhook van { $shop } is uitgeschakeld
webhook-off-failed = De webhook van { $shop } naar { $address } is uitgeschakeld: { $failures } pogingen op rij zijn mislukt.
webhook-off-failed-since = De webhook van { $shop } naar { $address } is uitgeschakeld: { $failures } pogingen op rij zijn mislukt sinds { $since }.
webhook-off-reason = De reden van de laatste mislukking: { $reason }
webhook-off-kept = Wachtende en nieuwe gebeurtenissen worden tot 30 dagen bewaard.
webhook-off-repair = Wat u nu kunt doen: herstel het endpoint en schakel de webhook daarna weer in. U kiest zelf of de wachtende gebeurtenissen alsnog op volgorde worden verzonden, of vervallen.
webhook-off-sign-in = { webhook-off-repair } Log in op het dashboard van de dienst, open Webhooks en kies deze webhook. Kent u het adres van het dashboard niet, vraag het dan aan de beheerder en noem daarbij de webhook: { $id }
webhook-off-page =
    { webhook-off-repair } Op deze pagina staan ook de laatste pogingen, en wat het endpoint antwoordde:

    { "    " }{ $page }
