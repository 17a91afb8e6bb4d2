//! The fields of a product in an import, and their columns.

use std::borrow::Cow;

use crate::dashboard::FormFields;

/// A field of a product, filled from a column of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportField {
    Code,
    Name,
    Description,
    Category,
    Price,
    Vat,
    Barcode,
    IsForSale,
}

impl ImportField {
    /// All fields, in the order of the form. The first is required.
    pub(super) const ALL: [Self; 8] = [
        Self::Code,
        Self::Name,
        Self::Description,
        Self::Category,
        Self::Price,
        Self::Vat,
        Self::Barcode,
        Self::IsForSale,
    ];

    /// The name of its choice in the form.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Code => "column-code",
            Self::Name => "column-name",
            Self::Description => "column-description",
            Self::Category => "column-category",
            Self::Price => "column-price",
            Self::Vat => "column-vat",
            Self::Barcode => "column-barcode",
            Self::IsForSale => "column-for-sale",
        }
    }

    /// The name for people.
    pub(super) fn label(self) -> Cow<'static, str> {
        match self {
            Self::Code => text!("word-code"),
            Self::Name => text!("word-name"),
            Self::Description => text!("activity-field-description"),
            Self::Category => text!("word-category"),
            Self::Price => text!("word-price"),
            Self::Vat => text!("word-vat"),
            Self::Barcode => text!("word-barcode"),
            Self::IsForSale => text!("products-for-sale"),
        }
    }

    /// Finds the field by its name in the core.
    pub(super) fn of_core(name: &str) -> Option<Self> {
        Some(match name {
            "externalId" => Self::Code,
            "name" => Self::Name,
            "description" => Self::Description,
            "categoryName" | "categoryId" => Self::Category,
            "priceCents" => Self::Price,
            "vatRate" => Self::Vat,
            "barcode" => Self::Barcode,
            "isActive" => Self::IsForSale,
            _ => return None,
        })
    }

    /// The usual headings in English and Dutch, the best first.
    /// They have letters and digits alone.
    fn headings(self) -> &'static [&'static str] {
        match self {
            Self::Code => &[
                "externalid",
                "code",
                "productcode",
                "artikelcode",
                "articlecode",
                "itemcode",
                "sku",
                "plu",
                "plunummer",
                "artikelnummer",
                "artikelnr",
                "artnr",
                "articlenumber",
                "productnummer",
                "productnumber",
                "productid",
                "nummer",
                "number",
                "nr",
                "id",
            ],
            Self::Name => &[
                "name",
                "naam",
                "productname",
                "productnaam",
                "artikelnaam",
                "product",
                "artikel",
                "article",
                "item",
                "gerecht",
                "dish",
                "title",
                "titel",
                "omschrijving",
            ],
            Self::Description => &[
                "description",
                "omschrijving",
                "beschrijving",
                "toelichting",
                "productdescription",
                "productomschrijving",
                "details",
            ],
            Self::Category => &[
                "category",
                "categorie",
                "categoryname",
                "productgroup",
                "productgroep",
                "artikelgroep",
                "omzetgroep",
                "group",
                "groep",
                "rubriek",
            ],
            Self::Price => &[
                "price",
                "prijs",
                "verkoopprijs",
                "salesprice",
                "sellingprice",
                "priceinclvat",
                "prijsinclbtw",
                "prijsincl",
                "consumentenprijs",
                "stukprijs",
            ],
            Self::Vat => &[
                "vat",
                "btw",
                "vatrate",
                "btwtarief",
                "btwpercentage",
                "vatin",
                "btwin",
                "tax",
                "taxrate",
            ],
            Self::Barcode => &[
                "barcode",
                "ean",
                "eancode",
                "ean13",
                "gtin",
                "upc",
                "streepjescode",
            ],
            Self::IsForSale => &[
                "forsale", "tekoop", "active", "actief", "isactive", "onsale",
            ],
        }
    }
}

/// The column of each field, counted from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ImportColumns(Vec<(ImportField, usize)>);

impl ImportColumns {
    /// Guesses the columns by their headings. No column is guessed twice.
    pub(super) fn guessed(headings: &[String]) -> Self {
        let headings: Vec<String> = headings.iter().map(|heading| plain(heading)).collect();
        let mut found: Vec<(ImportField, usize)> = Vec::new();
        for field in ImportField::ALL {
            let column = field.headings().iter().find_map(|usual| {
                let mut columns = headings.iter().enumerate();
                let is_it = |(column, heading): &(usize, &String)| {
                    *heading == usual && found.iter().all(|(_, taken)| taken != column)
                };
                columns.find(is_it).map(|(column, _)| column)
            });
            found.extend(column.map(|column| (field, column)));
        }
        Self(found)
    }

    /// Reads the choices of a form, without missing columns.
    pub(super) fn chosen(form: &FormFields, columns: usize) -> Self {
        let choice = |field: ImportField| {
            let column: usize = form.get(field.name()).parse().ok()?;
            (column < columns).then_some((field, column))
        };
        Self(ImportField::ALL.into_iter().filter_map(choice).collect())
    }

    /// Returns the column of a field.
    pub(super) fn of(&self, field: ImportField) -> Option<usize> {
        let found = self.0.iter().find(|(other, _)| *other == field);
        found.map(|(_, column)| *column)
    }
}

/// A heading without all but letters and digits, in lower case.
fn plain(heading: &str) -> String {
    let letters = heading.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use connect_core::Language;

    use super::*;
    use crate::dashboard::messages::made_in_language;

    fn guessed(headings: &[&str]) -> Vec<(ImportField, usize)> {
        let headings: Vec<_> = headings
            .iter()
            .map(|heading| (*heading).to_owned())
            .collect();
        ImportColumns::guessed(&headings).0
    }

    #[test]
    fn columns_are_guessed_by_their_headings() {
        use ImportField::*;
        for (headings, expected) in [
            (&[][..], &[][..]),
            (&["x", "", "Voorraad"], &[]),
            (
                &[
                    "Artikelnr.",
                    "Omschrijving",
                    "Groep",
                    "Prijs (incl. btw)",
                    "BTW %",
                ],
                &[(Code, 0), (Name, 1), (Category, 2), (Price, 3), (Vat, 4)],
            ),
            (
                &["Naam", "Omschrijving", "EAN-code", "PLU"],
                &[(Code, 3), (Name, 0), (Description, 1), (Barcode, 2)],
            ),
            (
                &["SKU", "Name", "Sales price", "Active", "name"],
                &[(Code, 0), (Name, 1), (Price, 2), (IsForSale, 3)],
            ),
            // The better heading wins, wherever it is.
            (&["id", "nr", "Code"], &[(Code, 2)]),
        ] {
            assert_eq!(guessed(headings), expected, "{headings:?}");
        }
    }

    #[test]
    fn the_headings_of_our_own_files_are_guessed() {
        for language in [Language::En, Language::Nl] {
            made_in_language(language, || {
                let labels = ImportField::ALL.map(|field| field.label().into_owned());
                let found = ImportColumns::guessed(&labels).0;
                let all = ImportField::ALL.into_iter().zip(0..);
                assert_eq!(found, all.collect::<Vec<_>>(), "{labels:?}");
            });
        }
    }

    #[test]
    fn a_column_that_is_not_there_is_not_chosen() {
        let form = FormFields::parse(b"column-code=1&column-name=2&column-price=&column-vat=x");
        let chosen = ImportColumns::chosen(&form, 2);
        assert_eq!(chosen.0, [(ImportField::Code, 1)]);
        assert_eq!(chosen.of(ImportField::Name), None);
    }
}
