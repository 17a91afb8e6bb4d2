//! connect-webhook-verify
