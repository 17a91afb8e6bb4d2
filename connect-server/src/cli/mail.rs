//! The mail server for mail to users.

use clap::Args;
use lettre::message::Mailbox;

use crate::workers::mail::{SmtpError, SmtpMailer, SmtpUrl};

/// Options for mail to users.
#[derive(Clone, Debug, Args)]
pub struct MailOptions {
    /// The mail server that sends e-mail to users: "smtps://user:password@mail.example", or
    /// "smtp://..?tls=required" for STARTTLS. Set it in the environment, as others on this machine
    /// can read a command line [default: users get no mail]
    #[arg(
        long,
        value_name = "URL",
        env = "CONNECT_SMTP_URL",
        hide_env_values = true,
        requires = "mail_from"
    )]
    pub smtp_url: Option<SmtpUrl>,
    /// The sender of this e-mail: "shop@example.com" or "The Shop <shop@example.com>".
    #[arg(long, value_name = "ADDRESS", env = "CONNECT_MAIL_FROM")]
    pub mail_from: Option<Mailbox>,
}

impl MailOptions {
    /// Returns whether mail is sent.
    pub fn is_configured(&self) -> bool {
        self.smtp_url.is_some() && self.mail_from.is_some()
    }

    /// Prepares sending, if it is configured.
    ///
    /// # Errors
    /// The address of the mail server cannot be used.
    pub fn mailer(&self) -> Result<Option<SmtpMailer>, SmtpError> {
        let (Some(url), Some(from)) = (&self.smtp_url, &self.mail_from) else {
            return Ok(None);
        };
        SmtpMailer::new(url, from.clone()).map(Some)
    }
}
