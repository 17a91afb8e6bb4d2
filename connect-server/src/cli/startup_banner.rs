//! The output of the server once it accepts requests.

use std::{
    fmt,
    io::{self, Write as _},
};

use serde_json::json;

use crate::{commands::invitation_path, net::Server, sandbox::demo::Shop};

/// The addresses to connect to, and commands for a first try.
pub(crate) struct StartupBanner {
    base_url: String,
    admin_url: String,
    owner_url: String,
    shop: Option<Shop>,
}

impl StartupBanner {
    /// Makes the banner for these listeners and this shop.
    ///
    /// `owner_url` is the address of the dashboard for owners.
    pub(crate) fn new(api: &Server, owner: &Server, owner_url: &str, shop: Option<Shop>) -> Self {
        Self {
            base_url: format!("{}/v1", api.url()),
            admin_url: owner.url(),
            owner_url: owner_url.to_owned(),
            shop,
        }
    }

    /// Prints it to standard output, as JSON or as text.
    pub(crate) fn print(&self, is_json: bool) -> io::Result<()> {
        let mut output = io::stdout().lock();
        if is_json {
            writeln!(output, "{}", self.to_json())?;
        } else {
            writeln!(output, "{self}")?;
        }
        output.flush()
    }

    /// Returns the JSON, in one line.
    pub(crate) fn to_json(&self) -> String {
        let shop = self.shop.as_ref();
        let locations = shop
            .map(|shop| &shop.account.locations[..])
            .unwrap_or_default();
        let locations: Vec<_> = locations
            .iter()
            .map(|location| json!({ "id": location.id, "name": location.name }))
            .collect();
        let screens = shop.map(|shop| &shop.screens[..]).unwrap_or_default();
        let screens: Vec<_> = screens
            .iter()
            .map(|(screen, key)| {
                json!({
                    "id": screen.id,
                    "locationId": screen.location_id,
                    "type": screen.kind,
                    "name": screen.name,
                    "key": key.expose(),
                })
            })
            .collect();
        let token = shop
            .and_then(|shop| shop.token.as_ref())
            .map(|token| token.expose());
        let invitation = shop.and_then(|shop| shop.invitation.as_ref());
        let dashboard = invitation.map(|it| format!("{}{}", self.owner_url, invitation_path(it)));
        json!({
            "baseUrl": self.base_url,
            "adminUrl": self.admin_url,
            "invitationUrl": dashboard,
            "token": token,
            "accountId": shop.map(|shop| shop.account.id),
            "locations": locations,
            "screens": screens,
        })
        .to_string()
    }
}

/// The text for a terminal.
impl fmt::Display for StartupBanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = &self.base_url;
        writeln!(f, "Connect answers at {base}")?;
        writeln!(f, "Read the API reference at {base}/docs")?;
        let Some(shop) = &self.shop else {
            return write!(
                f,
                "The store has no account yet. `connect-server account create` makes one, and \
                 `connect-server demo` one with a shop to try things out."
            );
        };
        for location in &shop.account.locations {
            writeln!(f, "  location {}  {}", location.id, location.name)?;
        }
        let (Some(token), Some(location)) = (&shop.token, shop.account.locations.first()) else {
            return write!(f, "Press Ctrl-C to stop.");
        };
        let (token, location) = (token.expose(), location.id);
        let admin = &self.admin_url;
        if let Some(invitation) = &shop.invitation {
            let path = invitation_path(invitation);
            writeln!(f, "Open the dashboard, and choose a password, at")?;
            writeln!(f, "  {}{path}", self.owner_url)?;
        }
        writeln!(f, "Registers and kiosks write at {admin}, below /device/v1")?;
        for (screen, key) in &shop.screens {
            let (location, name, key) = (screen.location_id, &screen.name, key.expose());
            writeln!(f, "  key      {key}  {name}, location {location}")?;
        }
        let insecure = if base.starts_with("https") { " -k" } else { "" };
        write!(
            f,
            "
Paste these lines into another terminal. The token is shown this once.

export CONNECT_URL={base}
export CONNECT_TOKEN={token}
export CONNECT_LOCATION={location}

Then try:

"
        )?;
        let curl = format!("curl -s{insecure} -H \"Authorization: Bearer $CONNECT_TOKEN\"");
        let products = "$CONNECT_URL/locations/$CONNECT_LOCATION/products";
        writeln!(f, "{curl} \"$CONNECT_URL/locations\"")?;
        writeln!(f, "{curl} \"{products}?limit=3\"")?;
        writeln!(
            f,
            "{curl} -H 'Content-Type: application/json' -H 'Idempotency-Key: my-first-product' \
             -d '{{\"name\":\"Oat cookie\",\"priceCents\":220}}' \"{products}\""
        )?;
        write!(f, "\nPress Ctrl-C to stop.")
    }
}

#[cfg(test)]
mod tests {
    use std::{process::Command, sync::Arc};

    use connect_core::{Connect, storage::memory::MemoryStorage};

    use super::*;

    /// A shell with the pasted `export` lines has all variables of the calls.
    #[tokio::test]
    async fn its_lines_can_be_pasted() {
        let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
        let shop = crate::sandbox::demo::open(&connect).await.unwrap();
        let token = shop.token.as_ref().unwrap().expose().to_owned();
        let location = shop.account.locations[0].id;
        let banner = StartupBanner {
            base_url: "http://127.0.0.1:8080/v1".to_owned(),
            admin_url: "http://127.0.0.1:8081".to_owned(),
            owner_url: "http://127.0.0.1:8081".to_owned(),
            shop: Some(shop),
        };
        let text = banner.to_string();
        assert!(text.contains("API reference at http://127.0.0.1:8080/v1/docs"));

        let lines = |word: &'static str| text.lines().filter(move |line| line.starts_with(word));
        assert_eq!(lines("curl ").count(), 3);
        let mut script =
            String::from("set -eu\ncurl() { for last; do :; done; echo \"$last\"; }\n");
        for line in lines("export ").chain(lines("curl ")) {
            script = script + line + "\n";
        }
        script += "echo \"$CONNECT_TOKEN\"\n";
        let run = Command::new("sh").args(["-c", &script]).output().unwrap();
        let base = "http://127.0.0.1:8080/v1/locations";
        let products = format!("{base}/{location}/products");
        assert_eq!(
            String::from_utf8(run.stdout).unwrap(),
            format!("{base}\n{products}?limit=3\n{products}\n{token}\n")
        );
    }
}
