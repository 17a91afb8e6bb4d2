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

/// The time between two warnings about a certificate.
const WARNING: Duration = Duration::from_secs(24 * 3600);

/// SIGHUP: the operator asks to read files again, or a terminal closes.
pub(crate) struct Hangups {
    signal: Signal,
    /// Set when the server was started from a terminal.
    at_terminal: bool,
    /// Returns whether standard input is a terminal that is open.
    is_terminal: fn() -> bool,
}

impl Hangups {
    /// Handles the signal. Without this, it would end the process.
    ///
    /// # Errors
    /// The system does not allow it.
    pub(crate) fn take() -> io::Result<Self> {
        Self::at(|| io::stdin().is_terminal())
    }

    fn at(is_terminal: fn() -> bool) -> io::Result<Self> {
        Ok(Self {
            signal: signal(SignalKind::hangup())?,
            at_terminal: is_terminal(),
            is_terminal,
        })
    }

    /// Returns whether the terminal was closed.
    fn is_end(&self) -> bool {
        self.at_terminal && !(self.is_terminal)()
    }
}

/// Reads files again at each SIGHUP, and checks the certificate each hour.
/// Asks the server to stop when its terminal closes. Never ends.
pub(crate) async fn keep_up_to_date(
    mut hangups: Hangups,
    certificate: Option<Certificate>,
    stop: watch::Sender<bool>,
) {
    let (mut looks, mut warnings) = (interval(LOOK), interval(WARNING));
    for each in [&mut looks, &mut warnings] {
        each.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // It was read a moment ago.
        each.tick().await;
    }
    loop {
        let warns = tokio::select! {
            _ = hangups.signal.recv() => {
                if hangups.is_end() {
                    tracing::info!("the terminal was closed: stopping");
                    stop.send_replace(true);
                    continue;
                }
                tracing::info!("SIGHUP: certificates and the level of the log are read again");
                log::read_level_again();
                true
            }
            _ = looks.tick() => false,
            _ = warnings.tick() => true,
        };
        if let Some(certificate) = &certificate
            && (read_again(certificate) || warns)
        {
            certificate.tell_doubts();
            warnings.reset();
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
pub(super) mod tests {
    use std::{
        fs,
        path::Path,
        sync::atomic::{AtomicBool, Ordering},
        time::SystemTime,
    };

    use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
    use rustix::process::{Signal, getpid, kill_process};

    use super::*;
    use crate::{net::TlsFiles, telemetry::captured_log::CapturedLog};

    /// Writes a certificate, valid for so many days, and its key.
    /// The former certificate follows, as if it were its issuer.
    fn write(folder: &Path, days: u32) {
        let mut made = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap();
        made.not_after = date_time_ymd(1970, 1, 1) + now + WARNING * days;
        made.distinguished_name
            .push(DnType::CommonName, days.to_string());
        let former = fs::read_to_string(folder.join("cert.pem")).unwrap_or_default();
        let key = KeyPair::generate().unwrap();
        fs::write(
            folder.join("cert.pem"),
            made.self_signed(&key).unwrap().pem() + &former,
        )
        .unwrap();
        fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    }

    /// A certificate in files of this folder, valid for so many days.
    pub(in crate::process) fn certificate(folder: &Path, days: u32) -> Certificate {
        write(folder, days);
        let files = TlsFiles {
            certificates: folder.join("cert.pem"),
            key: folder.join("key.pem"),
        };
        Certificate::read(files).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn another_certificate_is_found_within_an_hour_and_a_closed_terminal_at_once() {
        static IS_OPEN: AtomicBool = AtomicBool::new(true);
        let folder = tempfile::tempdir().unwrap();
        let certificate = certificate(folder.path(), 800);
        let ends = || certificate.ends().unwrap();
        let first = ends();
        let (stop, mut stopped) = watch::channel(false);
        let log = CapturedLog::default();
        let listening = log.listen();
        let hangups = Hangups::at(|| IS_OPEN.load(Ordering::SeqCst)).unwrap();
        let hang_up = || kill_process(getpid(), Signal::HUP).unwrap();
        let kept = keep_up_to_date(hangups, Some(certificate.clone()), stop);
        let hung_up = async {
            hang_up();
            while !log.text().contains("SIGHUP") {
                tokio::task::yield_now().await;
            }
            assert!(!*stopped.borrow());
            IS_OPEN.store(false, Ordering::SeqCst);
            hang_up();
            stopped.wait_for(|stopped| *stopped).await.unwrap();
        };
        let watched = async {
            tokio::time::sleep(LOOK / 2).await;
            write(folder.path(), 700);
            assert_eq!(ends(), first);
            tokio::time::sleep(LOOK).await;
            let second = ends();
            assert!(second < first);
            fs::write(folder.path().join("cert.pem"), "broken").unwrap();
            tokio::time::sleep(LOOK).await;
            assert_eq!(ends(), second);
            // One that ends soon is told of when it is found, and each day.
            write(folder.path(), 7);
            tokio::time::sleep(LOOK + 2 * WARNING).await;
            tokio::time::resume();
            tokio::time::timeout(Duration::from_secs(10), hung_up)
                .await
                .unwrap();
        };
        tokio::select! {
            () = kept => {}
            () = watched => {}
        }
        drop(listening);
        let log = log.text();
        for (line, count) in [
            ("another certificate is used", 2),
            ("the certificate in use stays", 1),
            ("certificate 2 is not the issuer of certificate 1", 1),
            ("is valid until", 4),
            ("SIGHUP: ", 1),
            ("the terminal was closed", 1),
        ] {
            assert_eq!(log.matches(line).count(), count, "{line}: {log}");
        }
    }
}
