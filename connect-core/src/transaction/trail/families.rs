//! The table of trailed rows: their objects, ids and fields.
//!
//! Only the named fields come into an entry. A new field of a row is left out until it has a line here.

use super::super::{Author, keys::Family};

/// A trailed family of rows.
pub(super) struct TrailedFamily {
    pub(super) family: Family,
    /// The object described by a whole row, if any.
    pub(super) row: Option<TrailedObject>,
    /// The objects in lists of a row, by the pointer to the list.
    pub(super) lists: &'static [(&'static str, TrailedObject)],
    /// Set for rows without nested objects, which are read without parsing them whole.
    pub(super) is_flat: bool,
}

/// An object in a row: its place, its name and its fields. Places are JSON pointers.
pub(super) struct TrailedObject {
    /// The name of its kind in words.
    pub(super) object: &'static str,
    /// Its id; `None` for the id in the key, or the partition.
    pub(super) id: Option<&'static str>,
    /// Its name, if it has one.
    pub(super) name: Option<&'static str>,
    pub(super) fields: &'static [TrailedField],
}

/// A field in an entry.
#[derive(Clone, Copy)]
pub(super) struct TrailedField {
    pub(super) name: &'static str,
    pub(super) at: &'static str,
    pub(super) show: Show,
    changed_by: ChangedBy,
}

/// The part of a value in an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// The value.
    Value,
    /// A link up to its query, which may hold a secret.
    Link,
    /// Only the fact of a change: the value is secret or personal.
    Nothing,
}

/// The authors of the changes with an entry.
#[derive(Clone, Copy)]
enum ChangedBy {
    Anyone,
    /// All but screens: the stock follows their sales, which the journal names.
    NotScreens,
    /// Owners and operators.
    People,
}

impl TrailedField {
    /// Returns whether a change by this author is in the trail.
    pub(super) fn is_of(&self, author: &Author) -> bool {
        match self.changed_by {
            ChangedBy::Anyone => true,
            ChangedBy::NotScreens => !matches!(author, Author::Screen { .. }),
            ChangedBy::People => {
                matches!(author, Author::Operator { .. } | Author::User { .. })
            }
        }
    }
}

/// A field with its value, for every author.
const fn field(name: &'static str, at: &'static str) -> TrailedField {
    TrailedField {
        name,
        at,
        show: Show::Value,
        changed_by: ChangedBy::Anyone,
    }
}

/// A field of a record, for changes by owners and operators.
const fn detail(name: &'static str, at: &'static str) -> TrailedField {
    TrailedField {
        changed_by: ChangedBy::People,
        ..field(name, at)
    }
}

/// A field without its value.
const fn hidden(name: &'static str, at: &'static str) -> TrailedField {
    TrailedField {
        show: Show::Nothing,
        ..field(name, at)
    }
}

/// All trailed families.
static ALL: &[TrailedFamily] = &[
    TrailedFamily {
        family: Family::Product,
        row: Some(TrailedObject {
            object: "product",
            id: None,
            name: Some("/name"),
            fields: &[
                field("name", "/name"),
                field("priceCents", "/priceCents"),
                TrailedField {
                    changed_by: ChangedBy::NotScreens,
                    ..field("stockQuantity", "/stockQuantity")
                },
                detail("externalId", "/externalId"),
                detail("description", "/description"),
                detail("vatRate", "/vatRate"),
                detail("barcode", "/barcode"),
                detail("categoryId", "/categoryId"),
                detail("isActive", "/isActive"),
                detail("availableFrom", "/availableFrom"),
                detail("availableUntil", "/availableUntil"),
                TrailedField {
                    show: Show::Link,
                    ..detail("imageUrl", "/imageUrl")
                },
                detail("optionGroupIds", "/optionGroupIds"),
            ],
        }),
        lists: &[],
        is_flat: true,
    },
    TrailedFamily {
        family: Family::StockMinimum,
        row: Some(TrailedObject {
            object: "stock minimum",
            // That of its product.
            id: None,
            name: None,
            fields: &[field("minimum", "/minimum")],
        }),
        lists: &[],
        is_flat: true,
    },
    TrailedFamily {
        family: Family::Category,
        row: Some(TrailedObject {
            object: "category",
            id: None,
            name: Some("/name"),
            fields: &[
                field("name", "/name"),
                detail("isActive", "/isActive"),
                detail("position", "/position"),
            ],
        }),
        lists: &[],
        is_flat: true,
    },
    TrailedFamily {
        family: Family::OptionGroup,
        row: Some(TrailedObject {
            object: "option group",
            id: None,
            name: Some("/name"),
            fields: &[
                field("name", "/name"),
                detail("externalId", "/externalId"),
                detail("minSelect", "/minSelect"),
                detail("maxSelect", "/maxSelect"),
                detail("position", "/position"),
            ],
        }),
        lists: &[(
            "/options",
            TrailedObject {
                object: "option",
                id: Some("/id"),
                name: Some("/name"),
                fields: &[
                    field("name", "/name"),
                    field("priceCents", "/priceCents"),
                    detail("externalId", "/externalId"),
                    detail("isAvailable", "/isAvailable"),
                ],
            },
        )],
        is_flat: false,
    },
    TrailedFamily {
        family: Family::Account,
        row: Some(TrailedObject {
            object: "account",
            id: None,
            name: Some("/name"),
            fields: &[
                field("name", "/name"),
                field("sandbox", "/sandbox"),
                field("requiresSecondFactor", "/requiresSecondFactor"),
                field("erasures", "/erasures"),
                field("retention", "/retention"),
            ],
        }),
        lists: &[
            (
                "/locations",
                TrailedObject {
                    object: "location",
                    id: Some("/id"),
                    name: Some("/name"),
                    fields: &[
                        field("name", "/name"),
                        field("currency", "/currency"),
                        field("defaultVatRate", "/defaultVatRate"),
                    ],
                },
            ),
            (
                "/screens",
                TrailedObject {
                    object: "screen",
                    id: Some("/id"),
                    name: Some("/name"),
                    fields: &[
                        field("name", "/name"),
                        field("type", "/type"),
                        field("locationId", "/locationId"),
                    ],
                },
            ),
            (
                "/users",
                TrailedObject {
                    object: "user",
                    id: Some("/id"),
                    // People are shown by their ids, so that a removed person leaves no name.
                    name: None,
                    fields: &[
                        hidden("name", "/name"),
                        hidden("email", "/email"),
                        field("language", "/language"),
                        field("roles", "/roles"),
                        field("secondFactor", "/secondFactor"),
                        field("singleSignOn", "/singleSignOn"),
                    ],
                },
            ),
        ],
        is_flat: false,
    },
    TrailedFamily {
        family: Family::Token,
        row: Some(TrailedObject {
            object: "token",
            id: Some("/id"),
            name: Some("/name"),
            fields: &[
                field("name", "/name"),
                field("grants", "/grants"),
                field("expiresAt", "/expiresAt"),
                field("revokedAt", "/revokedAt"),
            ],
        }),
        lists: &[],
        is_flat: false,
    },
    TrailedFamily {
        family: Family::ScreenKey,
        row: Some(TrailedObject {
            object: "screen key",
            id: Some("/screenId"),
            name: None,
            fields: &[field("prefix", "/prefix")],
        }),
        lists: &[],
        is_flat: false,
    },
    TrailedFamily {
        family: Family::Webhooks,
        row: None,
        lists: &[(
            "",
            TrailedObject {
                object: "webhook",
                id: Some("/webhook/id"),
                name: None,
                fields: &[
                    TrailedField {
                        show: Show::Link,
                        ..field("url", "/webhook/url")
                    },
                    field("events", "/webhook/events"),
                    field("locationIds", "/webhook/locationIds"),
                    field("switchedOff", "/webhook/switchedOff/reason"),
                    field("enabledAt", "/webhook/enabledAt"),
                ],
            },
        )],
        is_flat: false,
    },
    TrailedFamily {
        family: Family::SignIn,
        row: Some(TrailedObject {
            object: "sign-in",
            id: None,
            name: None,
            fields: &[
                hidden("email", "/email"),
                hidden("password", "/password"),
                field("passwordSetAt", "/passwordSetAt"),
            ],
        }),
        lists: &[(
            "/passkeys",
            TrailedObject {
                object: "passkey",
                id: Some("/id"),
                name: Some("/name"),
                fields: &[field("name", "/name"), field("addedAt", "/addedAt")],
            },
        )],
        is_flat: false,
    },
    TrailedFamily {
        family: Family::SingleSignOn,
        row: Some(TrailedObject {
            object: "single sign-on",
            id: None,
            name: None,
            fields: &[
                field("issuer", "/issuer"),
                field("clientId", "/clientId"),
                hidden("clientSecret", "/clientSecret"),
            ],
        }),
        lists: &[],
        is_flat: false,
    },
    TrailedFamily {
        family: Family::Invitation,
        row: Some(TrailedObject {
            object: "invitation",
            id: None,
            name: None,
            fields: &[field("expiresAt", "/expiresAt")],
        }),
        lists: &[],
        is_flat: false,
    },
    TrailedFamily {
        family: Family::Session,
        row: Some(TrailedObject {
            object: "session",
            id: Some("/user"),
            name: None,
            fields: &[field("expiresAt", "/expiresAt")],
        }),
        lists: &[],
        is_flat: false,
    },
];

/// The declaration of a family, if its rows are trailed.
pub(super) fn trailed(family: u8) -> Option<&'static TrailedFamily> {
    ALL.iter().find(|trailed| trailed.family as u8 == family)
}

/// The places of fields in rows without nested objects.
pub(super) fn flat_places() -> impl Iterator<Item = &'static str> {
    let objects = ALL.iter().filter(|family| family.is_flat);
    let objects = objects.filter_map(|family| family.row.as_ref());
    objects.flat_map(|object| {
        object
            .fields
            .iter()
            .map(|field| field.at)
            .chain(object.name)
    })
}
