//! The words of the server once it accepts requests.

use std::fmt;

use serde_json::json;

use crate::{demo::Shop, net::Server};

/// The addresses to connect to, and the commands that do.
pub(crate) struct Welcome {
    base_url: String,
    admin_url: String,
    shop: Option<Shop>,
}

impl Welcome {
    /// Makes the welcome of these listeners and this shop.
    pub(crate) fn new(api: &Server, owner: &Server, shop: Option<Shop>) -> Self {
        Self {
            base_url: format!("{}/v1", api.url()),
            admin_url: owner.url(),
            shop,
        }
    }

    /// For programs: one line.
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
        json!({
            "baseUrl": self.base_url,
            "adminUrl": self.admin_url,
            "token": token,
            "accountId": shop.map(|shop| shop.account.id),
            "locations": locations,
            "screens": screens,
        })
        .to_string()
    }
}

/// For people.
impl fmt::Display for Welcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = &self.base_url;
        writeln!(f, "Connect answers at {base}")?;
        writeln!(f, "Read the API reference at {base}/docs")?;
        let Some(shop) = &self.shop else {
            return write!(
                f,
                "The store has no account yet. `connect-server demo` makes one."
            );
        };
        for location in &shop.account.locations {
            writeln!(f, "  location {}  {}", location.id, location.name)?;
        }
        let (Some(token), Some(location)) = (&shop.token, shop.account.locations.first()) else {
            return write!(f, "Press Ctrl-C to stop.");
        };
        let (token, location) = (token.expose(), location.id);
        let insecure = if base.starts_with("https") { " -k" } else { "" };
        let bearer = format!("curl -s{insecure} -H 'Authorization: Bearer {token}'");
        writeln!(f, "  token    {token}  (shown this once)")?;
        let admin = &self.admin_url;
        writeln!(f, "Registers and kiosks write at {admin}, below /device/v1")?;
        for (screen, key) in &shop.screens {
            let (location, name, key) = (screen.location_id, &screen.name, key.expose());
            writeln!(f, "  key      {key}  {name}, location {location}")?;
        }
        writeln!(f)?;
        writeln!(f, "Try:")?;
        writeln!(f, "  {bearer} {base}/locations")?;
        writeln!(
            f,
            "  {bearer} '{base}/locations/{location}/products?limit=3'"
        )?;
        writeln!(
            f,
            "  {bearer} -H 'Content-Type: application/json' -H 'Idempotency-Key: my-first-product' \
             -d '{{\"name\":\"Oat cookie\",\"priceCents\":220}}' {base}/locations/{location}/products"
        )?;
        write!(f, "\nPress Ctrl-C to stop.")
    }
}
