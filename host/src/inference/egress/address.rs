//! Addresses that a plugin's requests may reach: public ones only. The name is resolved here and the connection is made
//! to the addresses that were checked, so that a second look-up cannot lead elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// A name that leads nowhere public.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "{name} is at {address}, which is not a public address: name it with --endpoint {name}=URL to allow it"
)]
pub struct NotPublic {
    pub name: String,
    pub address: IpAddr,
}

/// Where names are looked up.
#[async_trait]
pub trait LookUp: Send + Sync + 'static {
    async fn addresses(&self, name: &str) -> std::io::Result<Vec<IpAddr>>;
}

/// The system's own look-up.
pub struct SystemLookUp;

#[async_trait]
impl LookUp for SystemLookUp {
    async fn addresses(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Resolves names to their public addresses; a name without one is an error.
#[derive(Clone)]
pub struct PublicOnly(pub Arc<dyn LookUp>);

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let look_up = Arc::clone(&self.0);
        Box::pin(async move {
            let found = look_up.addresses(name.as_str()).await?;
            let public: Vec<SocketAddr> = found
                .iter()
                .filter(|address| is_public(**address))
                .map(|address| SocketAddr::new(*address, 0))
                .collect();
            match found.first() {
                Some(&address) if public.is_empty() => Err(NotPublic {
                    name: name.as_str().to_owned(),
                    address,
                }
                .into()),
                _ => Ok(Box::new(public.into_iter()) as Addrs),
            }
        })
    }
}

/// Whether an address belongs to the public internet. Ranges are those of the IANA special-purpose registries.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        // Shared by a carrier's customers.
        || (a == 100 && (64..128).contains(&b))
        // Protocol assignments, and the retired relays of 6to4.
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        // Benchmarks of networks.
        || (a == 198 && (18..20).contains(&b))
        // Multicast, reserved, broadcast.
        || a >= 224;
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let [_, _, _, _, _, _, high, low] = parts;
    let last = Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match parts {
        // An IPv4 address behind a translator.
        [0x64, 0xff9b, 0, 0, 0, 0, _, _] => is_public_v4(last),
        // 6to4 carries its IPv4 address in front.
        [0x2002, a, b, ..] => is_public_v4(Ipv4Addr::from((u32::from(a) << 16) | u32::from(b))),
        // Teredo and other protocol assignments, documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        // Global unicast is this block alone.
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_internet_is_public() {
        for public in [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.8.8.8",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "fc00::1",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }
}
