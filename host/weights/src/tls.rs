//! The cryptography of TLS, chosen once for the whole program.

/// Names ring as the cryptography of TLS. Every client of `reqwest` in this program needs it first, whatever it asks.
pub fn install_crypto() {
    // An error only says that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
