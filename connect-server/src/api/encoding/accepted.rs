//! The encoding preferred by a client's `Accept-Encoding`.

use http::{HeaderMap, header::ACCEPT_ENCODING};

use super::Encoding;

/// Returns the encoding to answer in; `None` is no encoding.
pub(crate) fn accepted(headers: &HeaderMap) -> Option<Encoding> {
    let values = headers.get_all(ACCEPT_ENCODING).into_iter();
    let items = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(item);
    let items: Vec<_> = items.collect();
    let weight = |names: &[&str]| {
        let is_named =
            |(name, _): &&(&str, f32)| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        items.iter().find(is_named).map(|(_, weight)| *weight)
    };
    let any = weight(&["*"]).unwrap_or_default();
    let gzip = weight(&["gzip", "x-gzip"]).unwrap_or(any);
    let brotli = weight(&["br"]).unwrap_or(any);
    // No compression is preferred only if the client gives `identity` a weight.
    let plain = weight(&["identity"]).unwrap_or_default();
    if brotli > 0.0 && brotli >= gzip && brotli >= plain {
        Some(Encoding::Brotli)
    } else if gzip > 0.0 && gzip >= plain {
        Some(Encoding::Gzip)
    } else {
        None
    }
}

/// A name and its weight from 0 to 1; `None` if malformed.
fn item(text: &str) -> Option<(&str, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next()?;
    let weight = match parts.next() {
        None => 1.0,
        Some(weight) => {
            let (key, weight) = weight.split_once('=')?;
            let weight = weight.trim().parse::<f32>().ok()?;
            let is_weight = key.trim().eq_ignore_ascii_case("q") && (0.0..=1.0).contains(&weight);
            is_weight.then_some(weight)?
        }
    };
    Some((name, weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_encoding_is_taken() {
        use Encoding::{Brotli, Gzip};
        for (header, encoding) in [
            ("", None),
            ("identity", None),
            ("deflate, zstd", None),
            ("gzip", Some(Gzip)),
            ("GZIP", Some(Gzip)),
            ("x-gzip", Some(Gzip)),
            ("gzip, deflate, br", Some(Brotli)),
            ("br;q=0.5, gzip;q=0.8", Some(Gzip)),
            ("gzip;q=0", None),
            ("gzip ; q=0.001", Some(Gzip)),
            ("*", Some(Brotli)),
            ("br;q=0, *", Some(Gzip)),
            ("*;q=0, gzip", Some(Gzip)),
            ("identity;q=1, gzip;q=0.5", None),
            ("identity;q=0.5, gzip;q=0.5", Some(Gzip)),
            ("gzip;q=NaN, br;q=2", None),
            ("gzip;v=1", None),
            (",;,=", None),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, header.parse().unwrap())]);
            assert_eq!(accepted(&headers), encoding, "{header}");
        }
        assert_eq!(accepted(&HeaderMap::new()), None);
        let mut several = HeaderMap::new();
        several.append(ACCEPT_ENCODING, "deflate".parse().unwrap());
        several.append(ACCEPT_ENCODING, "gzip".parse().unwrap());
        assert_eq!(accepted(&several), Some(Gzip));
    }
}
