//! What a location has, kind by kind.

use super::{Access, Connect};
use crate::{
    engine::{JsonRecords, Records, Resource},
    wire::{Category, Product},
};

/// What a location has. The SDK's handle of a location has the same methods.
#[derive(Clone, Debug)]
pub struct LocationHandle {
    connect: Connect,
    access: Access,
}

impl Connect {
    /// The location that `access` was given for.
    pub fn location(&self, access: &Access) -> LocationHandle {
        LocationHandle {
            connect: self.clone(),
            access: access.clone(),
        }
    }
}

impl LocationHandle {
    /// Its categories.
    pub fn categories(&self) -> Records<Category> {
        self.records()
    }

    /// Its products.
    pub fn products(&self) -> Records<Product> {
        self.records()
    }

    /// Its records of one kind.
    pub fn records<R: Resource>(&self) -> Records<R> {
        Records::new(self.json())
    }

    /// The same for a server: bodies and answers are JSON.
    pub fn json<R: Resource>(&self) -> JsonRecords<R> {
        JsonRecords::new(&self.connect, &self.access)
    }
}
