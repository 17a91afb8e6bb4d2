//! Reads certificates and the log's level again while the server runs.

use std::{
    io::{self, IsTerminal as _},
    time::Duration,
};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
    time::{MissedTickBehavior, interval},
};

use crate::{net::Certificate, telemetry::log};

/// The time between two checks for another certificate.
const LOOK: Duration = Duration::from_secs(3600);

/// The checks between two warnings about a certificate: a day's.
const LOOKS_PER_WARNING: u32 = 24;

/// SIGHUP: the operator asks to read files again, or a terminal closes.
pub(crate) struct Hangups {
    signal: Signal,
    /// Set when the server was started from a terminal.
    at_terminal: bool,
}

impl Hangups {
    /// Handles the signal. Without this, it would end the process.
    ///
    /// # Errors
    /// The system does not allow it.
    pub(crate) fn take() -> io::Result<Self> {
        Ok(Self {
            signal: signal(SignalKind::hangup())?,
            at_terminal: io::stdin().is_terminal(),
        })
    }

    /// Returns whether the terminal was closed.
    fn is_end(&self) -> bool {
        self.at_terminal && !io::stdin().is_terminal()
    }
}

/// Reads files again at each SIGHUP, and checks the certificate each hour.
/// Asks the server to stop when its terminal closes. Never ends.
pub(crate) async fn keep_up_to_date(
    mut hangups: Hangups,
    certificate: Option<Certificate>,
    stop: watch::Sender<bool>,
) {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // It was read a moment ago.
    looks.tick().await;
    let mut since_warning = 0;
    loop {
        tokio::select! {
            _ = hangups.signal.recv() => {
                if hangups.is_end() {
                    tracing::info!("the terminal was closed: stopping");
                    stop.send_replace(true);
                    continue;
                }
                tracing::info!("SIGHUP: certificates and the level of the log are read again");
                log::read_level_again();
                since_warning = 0;
            }
            _ = looks.tick() => since_warning += 1,
        }
        if let Some(certificate) = &certificate {
            let warns = read_again(certificate) || since_warning % LOOKS_PER_WARNING == 0;
            if warns {
                certificate.tell_doubts();
                since_warning = 0;
            }
        }
    }
}

/// Reads a certificate again. Returns whether another one is used now.
fn read_again(certificate: &Certificate) -> bool {
    match certificate.read_again() {
        Ok(true) => {
            tracing::info!("another certificate is used for new connections");
            true
        }
        Ok(false) => false,
        Err(error) => {
            tracing::warn!(%error, "the certificate in use stays, as the new one cannot be used");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};

    use super::*;
    use crate::{net::TlsFiles, telemetry::captured_log::CapturedLog};

    /// Writes a certificate, valid until this year, and its key.
    /// The former certificate follows, as if it were its issuer.
    fn write(folder: &Path, until: i32) {
        let mut made = CertificateParams::new(["localhost".to_owned()]).unwrap();
        made.not_after = date_time_ymd(until, 1, 1);
        made.distinguished_name
            .push(DnType::CommonName, until.to_string());
        let former = fs::read_to_string(folder.join("cert.pem")).unwrap_or_default();
        let key = KeyPair::generate().unwrap();
        fs::write(
            folder.join("cert.pem"),
            made.self_signed(&key).unwrap().pem() + &former,
        )
        .unwrap();
        fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn another_certificate_is_found_within_an_hour() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 3000);
        let files = TlsFiles {
            certificates: folder.path().join("cert.pem"),
            key: folder.path().join("key.pem"),
        };
        let certificate = Certificate::read(files).unwrap();
        let ends = || certificate.ends().unwrap();
        let first = ends();
        let (stop, _stopped) = watch::channel(false);
        let log = CapturedLog::default();
        let listening = log.listen();
        let hangups = Hangups::take().unwrap();
        let kept = keep_up_to_date(hangups, Some(certificate.clone()), stop);
        let watched = async {
            tokio::time::sleep(LOOK / 2).await;
            write(folder.path(), 2999);
            assert_eq!(ends(), first);
            tokio::time::sleep(LOOK).await;
            let second = ends();
            assert!(second < first);
            fs::write(folder.path().join("cert.pem"), "broken").unwrap();
            tokio::time::sleep(LOOK).await;
            assert_eq!(ends(), second);
        };
        tokio::select! {
            () = kept => {}
            () = watched => {}
        }
        drop(listening);
        let log = log.text();
        for line in [
            "another certificate is used",
            "the certificate in use stays",
            "certificate 2 is not the issuer of certificate 1",
        ] {
            assert_eq!(log.matches(line).count(), 1, "{log}");
        }
    }
}
