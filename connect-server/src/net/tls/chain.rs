//! The server's certificate chain: its own certificate, then its issuers'.

use std::{fs, path::Path};

use chrono::{DateTime, Duration, Utc};
use rustls::pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{Error, PemObject as _},
};
use x509_cert::{
    Certificate, TbsCertificate,
    der::{
        Decode as _, Encode as _, Reader as _, SliceReader, asn1::UintRef, oid::ObjectIdentifier,
    },
    spki::SubjectPublicKeyInfoOwned,
    time::Time,
};

/// The identifier of RSA keys.
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// The fewest bits of an RSA key accepted by clients.
const FEWEST_RSA_BITS: usize = 2048;

/// The time before its end when a certificate becomes doubtful.
const ENDS_SOON: Duration = Duration::weeks(2);

/// Reads the certificates in a file. The error names the next step.
pub(super) fn read(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = fs::read(path).map_err(|error| error.to_string())?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match chain {
        Ok(chain) if !chain.is_empty() => Ok(chain),
        Ok(_) => Err(missing(&pem).to_owned()),
        Err(Error::NoItemsFound) => Err(missing(&pem).to_owned()),
        Err(_) => Err("it is not valid PEM".to_owned()),
    }
}

/// The problem with a file without a certificate.
fn missing(pem: &[u8]) -> &'static str {
    if pem.trim_ascii().is_empty() {
        "it is empty; it should have the server's certificate in PEM form"
    } else if PrivateKeyDer::from_pem_slice(pem).is_ok() {
        "no certificate in it, but a private key, which --tls-key takes"
    } else {
        "no certificate in PEM form in it"
    }
}

/// Checks the server's own certificate for faults no client would accept.
/// An unparsable one passes: rustls judges it.
pub(super) fn check(chain: &[CertificateDer<'_>], now: DateTime<Utc>) -> Result<(), String> {
    let Some(own) = parsed(chain).next() else {
        return Ok(());
    };
    let (from, to) = (time(own.validity.not_before), time(own.validity.not_after));
    if now > to {
        return Err(format!(
            "the first certificate has expired: it was valid until {to}; renew it"
        ));
    }
    if now < from {
        return Err(format!(
            "the first certificate is not valid yet, but from {from} on; wait, or set this \
             machine's clock right, which says {now}"
        ));
    }
    match rsa_bits(&own.subject_public_key_info) {
        Some(bits) if bits < FEWEST_RSA_BITS => Err(format!(
            "the key of the first certificate is weak: RSA with {bits} bits, of which clients want \
             {FEWEST_RSA_BITS} or more; make a new key, and have it certified",
        )),
        _ => Ok(()),
    }
}

/// The bits of the modulus of an RSA key.
fn rsa_bits(key: &SubjectPublicKeyInfoOwned) -> Option<usize> {
    if key.algorithm.oid != RSA {
        return None;
    }
    let mut reader = SliceReader::new(key.subject_public_key.as_bytes()?).ok()?;
    let bits = reader.sequence(|key| {
        let modulus = key.decode::<UintRef<'_>>()?.as_bytes();
        key.decode::<UintRef<'_>>()?;
        let unused = modulus.first().map_or(0, |byte| byte.leading_zeros());
        Ok(8 * modulus.len() - unused as usize)
    });
    bits.ok()
}

/// Returns reasons for some clients to refuse the chain, now or soon.
pub(super) fn doubts(chain: &[CertificateDer<'_>], now: DateTime<Utc>) -> Vec<String> {
    let chain: Vec<_> = parsed(chain).collect();
    let mut doubts = Vec::new();
    for (at, certificate) in chain.iter().enumerate() {
        let (number, until) = (at + 1, time(certificate.validity.not_after));
        if until - now < ENDS_SOON {
            doubts.push(format!(
                "certificate {number} is valid until {until}; renew it"
            ));
        }
        if let Some(next) = chain.get(at + 1)
            && certificate.issuer != next.subject
        {
            doubts.push(format!(
                "certificate {} is not the issuer of certificate {number}, which it follows",
                number + 1
            ));
        }
    }
    doubts
}

/// Returns the earliest end of a certificate, in seconds since 1970.
pub(super) fn end(chain: &[CertificateDer<'_>]) -> Option<i64> {
    let ends = parsed(chain).map(|one| time(one.validity.not_after).timestamp());
    ends.min()
}

/// Returns the position of the certificate with this public key, from 1.
pub(super) fn place_of_key(chain: &[CertificateDer<'_>], public_key: &[u8]) -> Option<usize> {
    let place = parsed(chain).position(|one| {
        let key = one.subject_public_key_info.to_der();
        key.is_ok_and(|key| key == public_key)
    });
    place.map(|place| place + 1)
}

/// The content of the certificates, up to an unparsable one.
fn parsed(chain: &[CertificateDer<'_>]) -> impl Iterator<Item = TbsCertificate> {
    let certificates = chain
        .iter()
        .map_while(|der| Certificate::from_der(der).ok());
    certificates.map(|certificate| certificate.tbs_certificate)
}

fn time(time: Time) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + time.to_unix_duration()
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
    use x509_cert::der::asn1::{BitString, Uint};

    use super::*;

    /// The noon of a day in 2030.
    fn on_the(day: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_893_499_200 + day * 24 * 3600, 0).unwrap()
    }

    /// An authority with this name.
    fn authority(name: &str) -> (Issuer<'static, KeyPair>, CertificateDer<'static>) {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = rcgen::DistinguishedName::new();
        let kind = rcgen::DnType::CommonName;
        params.distinguished_name.push(kind, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        (Issuer::new(params, key), certificate.der().clone())
    }

    /// A certificate of January 2030 with an RSA key of this length.
    fn rsa(bits: usize) -> CertificateDer<'static> {
        let mut own = CertificateParams::new(["shop.example".to_owned()]).unwrap();
        (own.not_before, own.not_after) = (date_time_ymd(2030, 1, 1), date_time_ymd(2030, 1, 31));
        let own = own.self_signed(&KeyPair::generate().unwrap()).unwrap();
        let mut own = Certificate::from_der(own.der()).unwrap();
        let mut modulus = vec![0; bits.div_ceil(8)];
        modulus[0] = 1 << ((bits - 1) % 8);
        let numbers = [&modulus[..], &[1, 0, 1]].map(|number| Uint::new(number).unwrap());
        let key = &mut own.tbs_certificate.subject_public_key_info;
        key.algorithm.oid = RSA;
        key.subject_public_key =
            BitString::from_bytes(&numbers.to_vec().to_der().unwrap()).unwrap();
        own.to_der().unwrap().into()
    }

    #[test]
    fn a_certificate_is_valid_and_its_key_strong_enough() {
        let (first, second) = (on_the(0) - Duration::hours(12), Duration::seconds(1));
        let last = on_the(30) - Duration::hours(12);
        for (bits, now, problem) in [
            (2048, first, None),
            (2048, first - second, Some("not valid yet")),
            (2048, last, None),
            (2048, last + second, Some("has expired")),
            (2047, first, Some("RSA with 2047 bits")),
        ] {
            let refused = check(&[rsa(bits)], now).err();
            let is_as_expected = match (&refused, problem) {
                (Some(refused), Some(problem)) => refused.contains(problem),
                (refused, problem) => refused.is_none() && problem.is_none(),
            };
            assert!(is_as_expected, "{bits} {now}: {refused:?}");
        }
    }

    #[test]
    fn what_ends_soon_or_stands_in_the_wrong_place_is_in_doubt() {
        let (issuer, vouching) = authority("A");
        let (_, stranger) = authority("B");
        let mut own = CertificateParams::new(["shop.example".to_owned()]).unwrap();
        own.not_after = date_time_ymd(2030, 1, 31);
        let key = KeyPair::generate().unwrap();
        let own = own.signed_by(&key, &issuer).unwrap().der().clone();

        let good = [own.clone(), vouching.clone()];
        assert_eq!(end(&good), Some(on_the(30).timestamp() - 12 * 3600));
        let early = on_the(30) - Duration::hours(12) - ENDS_SOON;
        assert_eq!(doubts(&good, early), Vec::<String>::new());
        let late = doubts(&good, early + Duration::seconds(1));
        assert!(
            late.len() == 1 && late[0].starts_with("certificate 1 is valid until"),
            "{late:?}"
        );
        let strange = doubts(&[own, stranger, vouching], on_the(1));
        assert!(
            strange
                .iter()
                .all(|doubt| doubt.contains("is not the issuer")),
            "{strange:?}"
        );
        assert_eq!(strange.len(), 2);
    }
}
