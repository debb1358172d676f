//! Which addresses are public, and the resolver that gives no others.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Whether an address is of the public internet: none of the special-purpose blocks of the IANA registries
/// (RFC 6890 and its successors), and, where an IPv6 address carries an IPv4 address, not that one either.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(a) => is_public_v4(a),
        IpAddr::V6(a) => is_public_v6(a),
    }
}

fn is_public_v4(a: Ipv4Addr) -> bool {
    let [x, y, z, _] = a.octets();
    let special = x == 0 // this network
        || a.is_private()
        || (x == 100 && (64..128).contains(&y)) // shared by carriers, RFC 6598
        || a.is_loopback()
        || a.is_link_local()
        || (x == 192 && y == 0 && z == 0) // protocol assignments
        || (x == 192 && y == 88 && z == 99) // relays of 6to4
        || a.is_documentation()
        || (x == 198 && (18..20).contains(&y)) // benchmarks, RFC 2544
        || x >= 224; // multicast, reserved, broadcast
    !special
}

fn is_public_v6(a: Ipv6Addr) -> bool {
    let s = a.segments();
    let carried = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match s {
        // Translated by NAT64, RFC 6052, and 6to4, RFC 3056: what is reached is the IPv4 address in it.
        [0x64, 0xff9b, 0, 0, 0, 0, h, l] => is_public_v4(carried(h, l)),
        [0x2002, h, l, ..] => is_public_v4(carried(h, l)),
        // Only this block is given to the public; mapped addresses, fc00::/7, fe80::/10 and ff00::/8 are outside.
        [first, ..] if first & 0xe000 != 0x2000 => false,
        // Teredo and other protocol assignments, documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        _ => true,
    }
}

/// An address that must not be reached.
#[derive(Debug)]
pub(crate) struct Forbidden(pub(crate) IpAddr);

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its host is at {}, which is not public", self.0)
    }
}

impl StdError for Forbidden {}

/// Resolves names, and gives their addresses only if all of them may be reached. The connection is made to
/// what is given here, so that a name cannot mean another address a moment later.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) allow_private: bool,
    pub(crate) inner: DefaultResolver,
}

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.inner.resolve(uri, config, timeout)?;
        let forbidden = addresses.iter().map(|a| a.ip()).find(|a| !self.allow_private && !is_public(*a));
        match forbidden {
            Some(address) => Err(ureq::Error::Io(io::Error::other(Forbidden(address)))),
            None => Ok(addresses),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public_however_they_are_written() {
        let special = "0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.8.8.8 169.254.169.254 \
            172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.7 \
            203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 \
            ::7f00:1 64:ff9b::a00:1 64:ff9b:1::1 2002:7f00:1:: 2002:c0a8:101::1 2001::1 2001:db8::1 3fff::1 \
            fc00::1 fd12::1 fe80::1 fec0::1 ff02::1 100::1";
        for address in special.split_whitespace() {
            assert!(!is_public(address.parse().expect(address)), "{address}");
        }
    }

    #[test]
    fn other_addresses_are_public() {
        let public = "1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 198.17.0.1 \
            198.20.0.1 223.255.255.254 2001:4860:4860::8888 2606:4700::1111 64:ff9b::808:808 2002:808:808::1";
        for address in public.split_whitespace() {
            assert!(is_public(address.parse().expect(address)), "{address}");
        }
    }
}
