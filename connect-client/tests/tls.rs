//! Certificates.

use std::sync::Arc;

use connect_client::{
    Client, ErrorKind, RetryPolicy, SettingsError,
    transport::{Fault, http_client_builder},
};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        crypto::{CryptoProvider, ring},
        server::{WebPkiClientVerifier, danger::ClientCertVerifier},
    },
};

use crate::support::TOKEN;

/// A certificate that is its own authority.
fn certificate(name: &str) -> CertifiedKey<KeyPair> {
    generate_simple_self_signed(vec![name.to_owned()]).unwrap()
}

/// A service with a certificate of its own making; its base address and the certificate.
async fn service() -> (String, String) {
    service_for(WebPkiClientVerifier::no_client_auth()).await
}

/// A service that checks the certificates of its clients in this way.
async fn service_for(clients: Arc<dyn ClientCertVerifier>) -> (String, String) {
    let CertifiedKey { cert, signing_key } = certificate("localhost");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![cert.der().clone()], signing_key.into())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let Ok(mut socket) = acceptor.accept(socket).await else {
                continue;
            };
            let _ = socket.read(&mut [0; 4096]).await;
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":[]}";
            let _ = socket.write_all(answer).await;
            let _ = socket.shutdown().await;
        }
    });
    (format!("https://localhost:{port}/v1"), cert.pem())
}

#[tokio::test]
async fn an_extra_root_certificate_is_trusted() {
    let (base, pem) = service().await;
    let client = Client::builder(&base, TOKEN).root_certificate(pem).build();
    let locations = client.unwrap().locations().await.unwrap();
    assert!(locations.is_empty());
}

#[tokio::test]
async fn an_unknown_certificate_is_refused_once_and_for_all() {
    let (base, _) = service().await;
    let client = Client::builder(&base, TOKEN).build().unwrap();
    let error = client.locations().await.unwrap_err();
    let ErrorKind::Transport(fault) = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!(fault.fault(), Fault::Tls, "{error}");
    assert_eq!(error.attempts(), 1);
    assert!(!error.retryable());
}

#[tokio::test]
async fn no_crypto_provider_of_the_process_is_needed_or_set() {
    // First a client of the program's own: nothing of the SDK has run before it. No test of this
    // program installs a provider.
    let own = http_client_builder().unwrap().build().unwrap();
    assert!(CryptoProvider::get_default().is_none());
    let (base, pem) = service().await;
    let over_own = Client::builder(&base, TOKEN).http_client(own).build();
    let error = over_own.unwrap().locations().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Transport(e) if e.fault() == Fault::Tls));
    let client = Client::builder(&base, TOKEN).root_certificate(pem).build();
    client.unwrap().locations().await.unwrap();
    assert!(CryptoProvider::get_default().is_none());
}

/// The README tells what to do about it, and its example is run. Here nobody does it.
#[test]
fn a_reqwest_client_beside_the_sdk_wants_a_crypto_provider() {
    let panic = std::panic::catch_unwind(reqwest::Client::new).unwrap_err();
    let text = panic.downcast_ref::<&str>().unwrap();
    assert!(
        text.starts_with("No rustls crypto provider is configured"),
        "{text}"
    );
    assert!(
        include_str!("../README.md").contains("### \"No rustls crypto provider is configured\"")
    );
}

#[tokio::test]
async fn a_service_that_asks_for_it_sees_the_client_certificate() {
    let own = certificate("till");
    let mut roots = RootCertStore::empty();
    roots.add(own.cert.der().clone()).unwrap();
    let provider = Arc::new(ring::default_provider());
    let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let (base, pem) = service_for(clients.build().unwrap()).await;
    let builder = || {
        let builder = Client::builder(&base, TOKEN).retry(RetryPolicy::never());
        builder.root_certificate(pem.clone())
    };
    let certificate_and_key = own.cert.pem() + &own.signing_key.serialize_pem();
    let client = builder().client_certificate(certificate_and_key).build();
    client.unwrap().locations().await.unwrap();
    let stranger = builder().build().unwrap();
    stranger.locations().await.unwrap_err();
}

#[test]
fn a_client_certificate_has_to_have_its_own_key() {
    let (own, other) = (certificate("till"), certificate("other"));
    let key = own.signing_key.serialize_pem();
    for (pem, problem) in [
        (key.clone(), "no certificate in it"),
        (own.cert.pem(), "no plain private key in it"),
        (other.cert.pem() + &key, "the key does not fit"),
    ] {
        let builder = Client::builder("https://localhost/v1", TOKEN).client_certificate(pem);
        let error = builder.build().unwrap_err();
        let ErrorKind::Settings(settings) = error.kind() else {
            panic!("{error:?}");
        };
        assert_eq!(settings, &SettingsError::ClientCertificate(problem));
    }
}
