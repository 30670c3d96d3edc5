//! Who may call, and how often: keys and rate limits.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use scathe_api::problem::Problem;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::config::{Config, RateLimit};
use crate::http::problem::{Failure, RATE_LIMITED, no_key};

/// The address that a connection comes from.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// How many requests pass between two looks for clients that may be forgotten.
const TIDY: usize = 1024;

/// The limit of each client.
pub struct Limiter {
    limiter: RateLimiter<IpAddr, DefaultKeyedStateStore<IpAddr>, DefaultClock, StateInformationMiddleware>,
    limit: RateLimit,
    proxies: usize,
    seen: AtomicUsize,
}

impl Limiter {
    /// The limit that the configuration sets, if it sets one.
    pub fn new(config: &Config) -> Option<Self> {
        let limit = config.rate_limit?;
        let quota = Quota::per_second(limit.per_second).allow_burst(limit.burst);
        let limiter = RateLimiter::keyed(quota).with_middleware();
        Some(Self { limiter, limit, proxies: config.trust_proxy, seen: AtomicUsize::new(0) })
    }

    /// Counts a request, and says what its client may still call. What says whether the service is well does not
    /// count.
    pub fn count(&self, request: &Request) -> Option<Allowance> {
        if request.uri().path().starts_with("/health") {
            return None;
        }
        if self.seen.fetch_add(1, Ordering::Relaxed) % TIDY == TIDY - 1 {
            self.limiter.retain_recent();
        }
        let peer = request.extensions().get::<Peer>().map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |peer| peer.0);
        let left = match self.limiter.check_key(&client(request.headers(), peer, self.proxies)) {
            Ok(state) => Ok(state.remaining_burst_capacity()),
            Err(early) => Err(early.wait_time_from(DefaultClock::default().now()).as_secs() + 1),
        };
        Some(Allowance { limit: self.limit, left })
    }
}

/// What a client may still call.
pub struct Allowance {
    limit: RateLimit,
    /// How many requests may come now; or after how many seconds the next may, because this one was too many.
    left: Result<u32, u64>,
}

impl Allowance {
    /// Refuses a request that was too many.
    pub fn refusal(&self) -> Option<Response> {
        let wait = self.left.err()?;
        let RateLimit { per_second, burst } = self.limit;
        let detail = format!("The limit is {per_second} requests a second, {burst} at once. Call again in {wait} s.");
        let mut response = Failure(Problem::new(&RATE_LIMITED, detail)).into_response();
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
        Some(response)
    }

    /// Tells it the client.
    pub fn tell(&self, headers: &mut HeaderMap) {
        let RateLimit { per_second, burst } = self.limit;
        let window = burst.get().div_ceil(per_second.get());
        let (left, reset) = self.left.map_or_else(|wait| (0, wait), |left| (left, 1));
        let values = [
            ("ratelimit-policy", format!("\"default\";q={burst};w={window}")),
            ("ratelimit", format!("\"default\";r={left};t={reset}")),
        ];
        for (name, value) in values {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }
}

/// The address of the client: the peer's, or what the outermost trusted proxy saw. What was
/// forwarded before that anyone may have written, so it is not looked at.
fn client(headers: &HeaderMap, peer: IpAddr, proxies: usize) -> IpAddr {
    let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let forwarded: Vec<&str> = forwarded.flat_map(|list| list.split(',')).map(str::trim).collect();
    let seen = proxies.checked_sub(1).and_then(|nearer| forwarded.iter().rev().nth(nearer));
    network(seen.and_then(|address| forwarded_address(address)).unwrap_or(peer))
}

/// An address as proxies write it: alone, with a port, or in brackets.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// One client of IPv6 has a whole /64 to call from.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address @ IpAddr::V4(_) => address,
    }
}

/// The keys that may call, as digests, so that comparing them tells nothing of their length.
pub struct Keys {
    digests: Vec<[u8; 32]>,
}

impl Keys {
    /// The keys of the configuration and of the file that it names.
    ///
    /// # Errors
    /// Fails when the file cannot be read, or holds no key though it is named.
    pub fn new(config: &Config) -> Result<Self, String> {
        let mut keys: Vec<String> = config.api_keys.clone();
        if let Some(path) = &config.api_keys_file {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("cannot read the keys in {}: {error}", path.display()))?;
            let before = keys.len();
            keys.extend(
                text.trim_start_matches('\u{feff}')
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty())
                    .map(str::to_owned),
            );
            if keys.len() == before {
                return Err(format!("there is no key in {}", path.display()));
            }
        }
        let named = config.api_keys.len() > 1 || keys.iter().any(|key| !key.is_empty());
        let keys = keys.iter().map(|key| key.trim()).filter(|key| !key.is_empty());
        let digests: Vec<[u8; 32]> = keys.map(|key| Sha256::digest(key).into()).collect();
        // Whoever sets keys means to lock the door.
        if digests.is_empty() && named {
            return Err("--api-keys or SCATHE_API_KEYS holds no key".to_owned());
        }
        Ok(Self { digests })
    }

    /// Whether a request brings one of the keys. Every key is compared, in the same time.
    fn know(&self, headers: &HeaderMap) -> bool {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token =
            bearer.and_then(|value| value.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let Some((_, token)) = token else { return false };
        let token: [u8; 32] = Sha256::digest(token.trim()).into();
        self.digests.iter().fold(Choice::from(0), |known, key| known | key.ct_eq(&token)).into()
    }

    /// Refuses a call without a key, where keys are asked for. What is only read is open.
    pub fn refusal(&self, request: &Request) -> Option<Response> {
        if request.method() != Method::POST || self.digests.is_empty() || self.know(request.headers()) {
            return None;
        }
        let mut response = Failure(no_key()).into_response();
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        Some(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forwarded(lists: &[&'static str]) -> HeaderMap {
        lists
            .iter()
            .map(|list| (header::HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static(list)))
            .collect()
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED))
    }

    #[test]
    fn only_what_trusted_proxies_wrote_counts() {
        let peer = address("192.0.2.1");
        let headers = forwarded(&["198.51.100.7, 203.0.113.5", "203.0.113.9"]);
        assert_eq!(client(&headers, peer, 0), peer, "anyone may have written it");
        assert_eq!(client(&headers, peer, 1), address("203.0.113.9"));
        assert_eq!(client(&headers, peer, 2), address("203.0.113.5"));
        assert_eq!(client(&headers, peer, 9), peer, "fewer proxies than expected");
        assert_eq!(client(&forwarded(&["unknown"]), peer, 1), peer);
        assert_eq!(client(&forwarded(&["198.51.100.7:555"]), peer, 1), address("198.51.100.7"));
        assert_eq!(client(&forwarded(&["[2001:db8:1:2::9]:80"]), peer, 1), address("2001:db8:1:2::"));
        assert_eq!(client(&forwarded(&["[2001:db8:1:2::9]"]), peer, 1), address("2001:db8:1:2::"));
        assert_eq!(client(&forwarded(&[]), peer, 1), peer);
    }

    #[test]
    fn a_client_of_ipv6_is_its_network() {
        assert_eq!(network(address("2001:db8:1:2:3:4:5:6")), address("2001:db8:1:2::"));
        assert_eq!(network(address("::ffff:192.0.2.1")), address("192.0.2.1"));
    }
}
