//! Whether a request was meant for this server: its `Host`, and the `Origin` of a page that sent it.
//!
//! A page of another site can make a browser send requests here, and can let its own name point to the loopback address. Both are refused.

use std::net::IpAddr;

use crate::problem::Problem;

/// The names that this server answers to.
#[derive(Clone, Debug)]
pub struct HostCheck {
    /// None: any.
    names: Option<Vec<String>>,
}

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The name of a host, without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

impl HostCheck {
    /// A server on a loopback address answers to that and to the usual names of the machine itself, and any server to the names that it was given.
    pub fn new(address: IpAddr, given: &[String]) -> Self {
        let own = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let mut names: Vec<String> = LOOPBACK.iter().map(|&name| name.to_owned()).collect();
        if !names.contains(&own) {
            names.push(own);
        }
        names.extend_from_slice(given);
        let is_checked = address.is_loopback() || !given.is_empty();
        HostCheck {
            names: is_checked.then_some(names),
        }
    }

    /// Whether a request with these headers may be answered.
    pub fn check(&self, host: Option<&str>, origin: Option<&str>) -> Result<(), Problem> {
        let refused = |detail: String| Err(Problem::new(403, "foreign request").detail(detail));
        let host = host.unwrap_or_default();
        if let Some(names) = &self.names
            && !names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(name_of(host)))
        {
            return refused(format!(
                "the header Host is {host:.80}, and this server answers to {}; --host adds a name",
                names.join(", ")
            ));
        }
        let Some(origin) = origin else {
            return Ok(());
        };
        let own = origin
            .split_once("://")
            .is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(host));
        if own {
            Ok(())
        } else {
            refused("the header Origin names another site".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_names_and_pages_are_refused() {
        let local = HostCheck::new([127, 0, 0, 2].into(), &["spam.example".to_owned()]);
        let ok = |host, origin| local.check(Some(host), origin).is_ok();
        assert!(
            ok("localhost:8610", None)
                && ok("127.0.0.1:8610", None)
                && ok("127.0.0.2:8610", None)
                && ok("[::1]:8610", None)
                && ok("Spam.Example", None)
        );
        assert!(
            !ok("evil.example:8610", None) && !ok("", None) && !ok("localhost.evil.example", None)
        );
        assert!(ok("localhost:8610", Some("http://localhost:8610")));
        assert!(
            !ok("localhost:8610", Some("http://evil.example"))
                && !ok("localhost:8610", Some("null"))
        );
        assert!(!ok("localhost:8610", Some("http://localhost:9999")));
        assert!(local.check(None, None).is_err());
        assert!(
            HostCheck::new([192, 0, 2, 1].into(), &[])
                .check(Some("anything"), None)
                .is_ok()
        );
    }
}
