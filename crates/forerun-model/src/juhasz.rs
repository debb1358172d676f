//! The published equations of Juhász and Charaf, *Performance Modelling of Cooperating Tasks in PC
//! Clusters* (2003), as printed.
//!
//! They take every phase to go at the pace of its slowest part, messages not to compete, and the
//! data to fit into memory; what the program does is in [`crate::scatter_gather`]. Times are in
//! seconds; sizes are in data units, 32-bit integers in the paper, and bandwidths in data units a
//! second. The paper's nodes P_1 … P_p are our ranks 0 … p − 1.
//!
//! ```
//! use forerun_model::juhasz::Cluster;
//! let paper = Cluster::PUBLISHED;
//! let n = 2e7;
//! let p = paper.optimum(n).expect("a cluster size at which gathering is the bottleneck"); // 5.13
//! assert!(paper.t_total(n, 5) < 1.05 * paper.t_total(n, 6) && (5.0..6.0).contains(&p));
//! ```

/// What equations 6 to 19 are made of: a cluster, sorting on it, and the block size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// c_q: seconds for an element and a natural logarithm, of sorting a block.
    pub c_q: f64,
    /// c_m: seconds for an element and a sequence, of merging.
    pub c_m: f64,
    /// c_m as equation 14 uses it for t_local.
    pub c_local: f64,
    /// b_io: data units a second from and to the storage.
    pub b_io: f64,
    /// l_n: latency of a block, in seconds.
    pub l_n: f64,
    /// b_n: bandwidth of the network.
    pub b_n: f64,
    /// b_gather: bandwidth at which one node gathers from all others.
    pub b_gather: f64,
    /// s: data units in a block.
    pub s: f64,
}

/// The slowest part of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slowest {
    /// b_io: reading or writing.
    Io,
    /// b_dist: distributing blocks.
    Distribution,
    /// b_proc: processing blocks.
    Processing,
    /// b_gather: gathering partial results.
    Gathering,
    /// b_resolution: resolving dependencies.
    Resolution,
}

/// Equation 1: `b_dist = s / (l_n + s / b_n)`.
pub fn b_dist(s: f64, l_n: f64, b_n: f64) -> f64 {
    s / (l_n + s / b_n)
}

/// Equation 2: `t_read = N / min(b_io, b_dist, b_proc)`.
pub fn t_read(n: f64, b_io: f64, b_dist: f64, b_proc: f64) -> f64 {
    n / b_io.min(b_dist).min(b_proc)
}

/// Equation 3: `t_write = N / min(b_io, b_gather, b_resolution)`.
pub fn t_write(n: f64, b_io: f64, b_gather: f64, b_resolution: f64) -> f64 {
    n / b_io.min(b_gather).min(b_resolution)
}

/// Equation 6: `t_proc(s) = c_q s ln s`.
pub fn t_proc(s: f64, c_q: f64) -> f64 {
    c_q * s * s.ln()
}

/// Equation 7: `b_proc = s / t_proc(s)`.
pub fn b_proc(s: f64, c_q: f64) -> f64 {
    s / t_proc(s, c_q)
}

/// Equation 8, and 14: `t_local = c_m s (N / s) / p`, for the first packet of a merge of n/p blocks.
pub fn t_local(n: f64, p: u64, c_m: f64) -> f64 {
    c_m * n / p as f64
}

/// Equation 9, and 15: `b_resolution = 1 / (c_m (N / (s p) + p))`.
pub fn b_resolution(n: f64, p: u64, s: f64, c_m: f64) -> f64 {
    let p = p as f64;
    1.0 / (c_m * (n / (s * p) + p))
}

/// Equation 21: `2 N / b_io`, reading and writing alone.
pub fn io_bound(n: f64, b_io: f64) -> f64 {
    2.0 * n / b_io
}

impl Cluster {
    /// The constants printed in section 5, with blocks of 2^16 integers. (Equation 14 prints
    /// c_m = 0.038 · 10^−6, section 5 0.04 · 10^−6; the figures follow from neither.)
    pub const PUBLISHED: Cluster = Cluster {
        c_q: 0.066e-6,
        c_m: 0.04e-6,
        c_local: 0.04e-6,
        b_io: 0.54e6,
        l_n: 30e-3,
        b_n: 1.2e6,
        b_gather: 0.387e6,
        s: 65536.0,
    };

    /// Equation 10.
    pub fn b_dist(&self) -> f64 {
        b_dist(self.s, self.l_n, self.b_n)
    }

    /// Equation 11.
    pub fn b_proc(&self) -> f64 {
        b_proc(self.s, self.c_q)
    }

    /// Equation 12.
    pub fn t_read(&self, n: f64) -> f64 {
        t_read(n, self.b_io, self.b_dist(), self.b_proc())
    }

    /// What bounds equation 12.
    pub fn reading_bound(&self) -> Slowest {
        slowest([
            (Slowest::Io, self.b_io),
            (Slowest::Distribution, self.b_dist()),
            (Slowest::Processing, self.b_proc()),
        ])
    }

    /// Equation 13.
    pub fn t_proc(&self) -> f64 {
        t_proc(self.s, self.c_q)
    }

    /// Equation 14.
    pub fn t_local(&self, n: f64, p: u64) -> f64 {
        t_local(n, p, self.c_local)
    }

    /// Equation 15.
    pub fn b_resolution(&self, n: f64, p: u64) -> f64 {
        b_resolution(n, p, self.s, self.c_m)
    }

    /// Equation 16. (It prints 0.775, which is b_dist, where equation 3, the text and the figures
    /// have b_gather = 0.387.)
    pub fn t_write(&self, n: f64, p: u64) -> f64 {
        t_write(n, self.b_io, self.b_gather, self.b_resolution(n, p))
    }

    /// What bounds equation 16.
    pub fn writing_bound(&self, n: f64, p: u64) -> Slowest {
        slowest([
            (Slowest::Io, self.b_io),
            (Slowest::Gathering, self.b_gather),
            (Slowest::Resolution, self.b_resolution(n, p)),
        ])
    }

    /// Equation 4, and 17: the sum of the phases.
    pub fn t_total(&self, n: f64, p: u64) -> f64 {
        self.t_read(n) + self.t_proc() + self.t_local(n, p) + self.t_write(n, p)
    }

    /// Equation 19: the smaller p at which b_resolution equals b_gather (equation 18), where
    /// equation 5 has its solution; `None` where b_resolution never reaches b_gather, at
    /// `N > s / (4 (b_gather c_m)²)`.
    pub fn optimum(&self, n: f64) -> Option<f64> {
        let bc = self.b_gather * self.c_m;
        let discriminant = 1.0 - 4.0 * n * bc * bc / self.s;
        (discriminant >= 0.0).then(|| (1.0 - discriminant.sqrt()) / (2.0 * bc))
    }

    /// The p from 1 to `max` with the least [`Cluster::t_total`], the smallest of equals.
    pub fn best(&self, n: f64, max: u64) -> u64 {
        (1..=max.max(1)).min_by(|&a, &b| self.t_total(n, a).total_cmp(&self.t_total(n, b))).unwrap_or(1)
    }

    /// The smallest p whose [`Cluster::t_total`] is at most `share` of it above that of
    /// [`Cluster::best`]: beyond the optimum only t_local still falls, and that by little.
    pub fn enough(&self, n: f64, max: u64, share: f64) -> u64 {
        let best = self.best(n, max);
        let limit = self.t_total(n, best) * (1.0 + share);
        (1..best).find(|&p| self.t_total(n, p) <= limit).unwrap_or(best)
    }

    /// Equation 21.
    pub fn io_bound(&self, n: f64) -> f64 {
        io_bound(n, self.b_io)
    }
}

fn slowest(parts: [(Slowest, f64); 3]) -> Slowest {
    parts.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(Slowest::Io, |(what, _)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: Cluster = Cluster::PUBLISHED;

    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
    }

    #[test]
    fn equations_ten_to_fourteen() {
        near(PAPER.b_dist(), 0.775e6, 0.5e3);
        near(PAPER.b_proc(), 1.366e6, 0.5e3);
        // 0.04749 is printed.
        near(PAPER.t_proc(), 0.04797, 0.5e-5);
        near(PAPER.t_read(5.4e6), 10.0, 1e-9);
        assert_eq!(PAPER.reading_bound(), Slowest::Io);
        near(PAPER.t_local(1e7, 4), 0.1, 1e-12);
    }

    #[test]
    fn equations_nineteen_to_twenty_one() {
        near(PAPER.optimum(2e7).unwrap(), 5.13, 5e-3);
        near(PAPER.io_bound(2e7), 74.07, 5e-3);
        // At the optimum both bandwidths are equal, to which equation 18 says no more.
        for n in [5e6, 1e7, 2e7] {
            let p = PAPER.optimum(n).unwrap();
            let b = 1.0 / (PAPER.c_m * (n / (PAPER.s * p) + p));
            near(b / PAPER.b_gather, 1.0, 1e-9);
        }
        assert_eq!(PAPER.optimum(1e8), None);
    }

    /// The printed "calculated" columns follow from c_m = 0.048 · 10^−6 in figures 1 and 2, and from
    /// 0.041 · 10^−6 with 0.038 · 10^−6 in t_local in figure 3.
    #[test]
    fn figures_one_to_three() {
        let first = Cluster { c_m: 0.048e-6, c_local: 0.048e-6, ..PAPER };
        let third = Cluster { c_m: 0.041e-6, c_local: 0.038e-6, ..PAPER };
        for (n, cluster, column) in [
            (5e6, first, &[(1, 28.1), (3, 22.3), (11, 22.3)][..]),
            (1e7, first, &[(1, 92.7), (2, 56.4), (3, 44.6), (4, 44.5), (11, 44.5)]),
            (2e7, third, &[(1, 288.9), (2, 164.2), (3, 123.2), (4, 103.1), (5, 91.4), (6, 88.9)]),
        ] {
            for &(p, printed) in column {
                near(cluster.t_total(n, p), printed, 0.11);
            }
        }
    }

    #[test]
    fn the_best_whole_number_is_beside_the_optimum() {
        assert_eq!((PAPER.best(2e7, 11), PAPER.enough(2e7, 11, 0.01)), (11, 6));
        assert_eq!(PAPER.writing_bound(2e7, 5), Slowest::Resolution);
        assert_eq!(PAPER.writing_bound(2e7, 6), Slowest::Gathering);
        assert_eq!((PAPER.enough(5e6, 11, 0.01), PAPER.best(5e6, 0)), (2, 1));
        // With the whole number on either side of equation 19 nothing better is missed.
        let p = PAPER.optimum(2e7).unwrap();
        assert_eq!(PAPER.enough(2e7, 11, 0.01), p.ceil() as u64);
    }
}
