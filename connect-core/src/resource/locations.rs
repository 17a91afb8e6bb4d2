//! Locations (specification: Locations).

use super::{Admitted, Connect, Json};
use crate::{
    error::Error,
    record::Fault,
    wire::{Collection, Location},
};

/// The only time zone there is.
const TIME_ZONE: &str = "Europe/Amsterdam";

impl Connect {
    /// The locations for which the caller has at least one scope, by name, then id.
    ///
    /// # Errors
    /// [`Error::ApiNotAvailable`].
    pub fn list_locations(&self, caller: &Admitted) -> Result<Json<Collection<Location>>, Error> {
        self.check_available(caller)?;
        let granted = caller
            .token()
            .grants
            .iter()
            .filter(|grant| !grant.scopes.is_empty());
        let mut data: Vec<Location> = granted
            .filter_map(|grant| {
                let places = &caller.account().locations;
                let place = places.iter().find(|place| place.id == grant.location_id)?;
                Some(Location {
                    id: place.id,
                    name: place.name.clone(),
                    time_zone: TIME_ZONE.to_owned(),
                    currency: place.currency.clone(),
                    scopes: grant.scopes.clone(),
                })
            })
            .collect();
        data.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        let bytes = serde_json::to_vec(&Collection { data }).map_err(|e| Fault::corrupt(b"", e))?;
        Ok(Json::new(bytes))
    }
}
