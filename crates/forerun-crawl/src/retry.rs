//! When to ask again.

use std::time::{Duration, SystemTime};

/// Whether a status may be another one a moment later.
pub(crate) fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

/// What a server asks for by Retry-After: seconds or a date (RFC 9110, section 10.2.3).
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if header.bytes().all(|b| b.is_ascii_digit()) && !header.is_empty() {
        // More seconds than a number holds are too many, not none.
        return Some(Duration::from_secs(header.parse().unwrap_or(u64::MAX)));
    }
    let at = httpdate::parse_http_date(header).ok()?;
    Some(at.duration_since(now).unwrap_or_default())
}

/// The wait before try number `tries` + 1: doubled each time.
pub(crate) fn back_off(first: Duration, tries: u32, longest: Duration) -> Duration {
    first.saturating_mul(1 << tries.saturating_sub(1).min(20)).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_seconds_or_dates() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date");
        let seconds = |h| retry_after(h, now).map(|d| d.as_secs());
        assert_eq!(seconds(" 120 "), Some(120));
        assert_eq!(seconds("99999999999999999999999"), Some(u64::MAX));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:50:37 GMT"), Some(60));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!([seconds(""), seconds("-1"), seconds("soon")], [None; 3]);
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let wait = |tries| back_off(Duration::from_secs(1), tries, Duration::from_secs(60)).as_secs();
        assert_eq!([wait(1), wait(2), wait(3), wait(7), wait(u32::MAX)], [1, 2, 4, 60, 60]);
    }
}
