//! A sequence of contention points.

use forerun_platform::{Bytes, BytesPerSecond, Platform, Seconds, SecondsPerByte, Service, Switching};

use super::{PerSecond, Saturated, Station};

/// A contention point on a path: the server is a link (or the switch behind it) that `fan_in` hosts
/// send through.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What it is called.
    pub name: String,
    /// Hosts whose messages meet here.
    pub fan_in: f64,
    /// 1/C: how long a byte occupies it.
    pub per_byte: SecondsPerByte,
    /// Propagation delay behind it.
    pub latency: Seconds,
    /// Utilisation by other jobs' traffic, from 0.
    pub background: f64,
    /// Mean size of other jobs' messages; `None` takes them to be like the job's own.
    pub background_message: Option<Bytes>,
}

impl Point {
    /// A point of `capacity` through which `fan_in` hosts send, without latency or background.
    pub fn new(name: impl Into<String>, fan_in: f64, capacity: BytesPerSecond) -> Self {
        Point {
            name: name.into(),
            fan_in,
            per_byte: capacity.into(),
            latency: Seconds(0.0),
            background: 0.0,
            background_message: None,
        }
    }

    fn station(&self, bytes: f64, service: Service) -> Station {
        let mean = Seconds(self.per_byte.0 * bytes);
        let theirs = self.background_message.map_or(mean, |size| self.per_byte * size);
        Station { name: self.name.clone(), mean, service, background: (self.background, theirs) }
    }
}

/// The contention points that a message passes one after the other, each a [`Station`] of its own:
/// the delay model of Kuntraruk, Pottenger and Ross (section IV-A, equations 7 to 11) for any
/// sequence, fan-in and variation.
///
/// With x = L/C for messages of L bytes at a point of capacity C and n hosts that each send one in
/// T seconds through it, its arrivals are n/T, and a message takes
///
/// ```text
/// Σ points (waiting(n/T) + x) + Σ latencies + τ          where switches store and forward
/// Σ points waiting(n/T) + max x + Σ latencies + τ        where they cut through
/// ```
///
/// through the path; for M/M/1, Σ x / (1 − n x / T): leaf, spine, leaf with fan-ins of 8, 16, 8
/// is `2 x / (1 − 8 x / T) + x / (1 − 16 x / T)`, equation 11.
///
/// Assumptions: those of [`Station`] at every point, independence of the points (Kleinrock), every
/// message passes all of them, and in the worst case, as the paper has it, all hosts of a point's fan-in send through it. Units: bytes, seconds. Cost: a few operations a
/// point.
///
/// ```
/// use forerun_model::queueing::{Path, Service};
/// use forerun_platform::{Bytes, BytesPerSecond, Seconds};
///
/// // The paper's feature extraction: 23,720 bytes every 0.15 s over Myrinet.
/// let capacity: BytesPerSecond = "1.28 Gbit/s".parse()?;
/// let path = Path::leaf_spine(8.0, 16.0, capacity, Service::Exponential);
/// let t_comm = path.delay(Bytes(23_720), Seconds(0.15))?.total;
/// assert_eq!(t_comm.to_string(), "449.5 µs");
/// // Eight megabytes at this rate would saturate the spine.
/// let saturated = path.delay(Bytes(8_000_000), Seconds(0.15)).unwrap_err();
/// assert_eq!(saturated.interval, Some(Seconds(0.8)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The points in the order in which they are passed.
    pub points: Vec<Point>,
    /// How the times vary for which messages occupy a point.
    pub service: Service,
    /// When a point passes a message on.
    pub switching: Switching,
    /// τ: propagation delay beside the latencies of the points.
    pub propagation: Seconds,
}

/// What a message meets on a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// What it meets at each point.
    pub points: Vec<PointFigures>,
    /// Mean time spent waiting, of `total`.
    pub waiting: Seconds,
    /// Mean time from end to end, propagation included.
    pub total: Seconds,
}

/// What a message meets at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PointFigures {
    /// The point.
    pub name: String,
    /// Utilisation, background included.
    pub utilisation: f64,
    /// Mean time before service.
    pub waiting: Seconds,
    /// Mean time in service and before it: D(L) of equations 8 to 10.
    pub sojourn: Seconds,
}

impl Path {
    /// A single switch whose ports `fan_in` hosts send to.
    pub fn switch(fan_in: f64, capacity: BytesPerSecond, service: Service) -> Path {
        Path::fat_tree(&[fan_in], capacity, service)
    }

    /// Leaf, spine and leaf: the paper's Myrinet with `leaf` = 8 and `spine` = 16.
    pub fn leaf_spine(leaf: f64, spine: f64, capacity: BytesPerSecond, service: Service) -> Path {
        Path::fat_tree(&[leaf, spine], capacity, service)
    }

    /// Up through k levels of switches, of these fan-ins from the hosts on, and down again.
    pub fn fat_tree(fan_ins: &[f64], capacity: BytesPerSecond, service: Service) -> Path {
        let levels = fan_ins.len();
        let up = fan_ins.iter().enumerate();
        let down = up.clone().rev().skip(1);
        let points = up.chain(down).map(|(level, &n)| Point::new(name(level, levels), n, capacity)).collect();
        Path { points, service, switching: Switching::StoreAndForward, propagation: Seconds(0.0) }
    }

    /// The path between the two hosts of a job of `ranks` ranks on `platform` that are farthest apart,
    /// with the fan-ins, links and background of its topology and the network's latency as τ; without
    /// points where the platform states no topology, or where all ranks are on one host.
    ///
    /// ```
    /// use forerun_model::queueing::Path;
    /// use forerun_platform::{Bytes, Platform, Seconds};
    /// let ncsa = Platform::resolve("ncsa-ia32-myrinet")?;
    /// let path = Path::of(&ncsa, 128);
    /// let names: Vec<_> = path.points.iter().map(|p| p.name.as_str()).collect();
    /// assert_eq!(names, ["leaf", "spine", "leaf"]);
    /// // Equation 11, and the 7 us of the preset.
    /// let t_comm = path.delay(Bytes(23_720), Seconds(0.15))?.total;
    /// assert_eq!(t_comm.to_string(), "456.5 µs");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(platform: &Platform, ranks: usize) -> Path {
        let propagation = platform.network.latency.value;
        let Some(topology) = &platform.network.topology else {
            let (service, switching) = (Service::default(), Switching::default());
            return Path { points: Vec::new(), service, switching, propagation };
        };
        let point = |at: usize| {
            let level = &topology.levels[at];
            Point {
                name: topology.level_name(at),
                fan_in: level.fan_in as f64,
                per_byte: level.gap_per_byte.value,
                latency: level.latency.value,
                background: level.background.value.0,
                background_message: level.background_message,
            }
        };
        let points = topology.path(platform.hosts_of(ranks)).into_iter().map(point).collect();
        Path { points, service: topology.service, switching: topology.switching, propagation }
    }

    /// What messages of `size` meet that every host sends one of in `interval`.
    ///
    /// # Errors
    /// [`Saturated`], for the point that saturates first as hosts send more often, if one does.
    pub fn delay(&self, size: Bytes, interval: Seconds) -> Result<Passage, Saturated> {
        self.delay_of_mean(size.0 as f64, interval)
    }

    /// The same for messages of `bytes` bytes on average.
    ///
    /// # Errors
    /// As [`Path::delay`].
    pub fn delay_of_mean(&self, bytes: f64, interval: Seconds) -> Result<Passage, Saturated> {
        let mut points = Vec::with_capacity(self.points.len());
        let mut worst = None;
        let (mut waiting, mut longest, mut total) = (Seconds(0.0), Seconds(0.0), self.propagation);
        for point in &self.points {
            let arrivals = PerSecond::every(interval) * point.fan_in;
            let station = point.station(bytes, self.service);
            let figures = match station.at(arrivals) {
                Ok(figures) => figures,
                Err(saturated) => {
                    let interval = Some(Seconds(point.fan_in / saturated.limit.0));
                    let tighter = worst.as_ref().is_none_or(|w: &Saturated| interval > w.interval);
                    if tighter {
                        worst = Some(Saturated { interval, ..saturated });
                    }
                    continue;
                }
            };
            waiting += figures.waiting;
            total += figures.waiting + point.latency;
            let transmission = figures.sojourn - figures.waiting;
            match self.switching {
                Switching::StoreAndForward => total += transmission,
                Switching::CutThrough if transmission > longest => longest = transmission,
                Switching::CutThrough => {}
            }
            points.push(PointFigures {
                name: point.name.clone(),
                utilisation: figures.utilisation,
                waiting: figures.waiting,
                sojourn: figures.sojourn,
            });
        }
        match worst {
            Some(saturated) => Err(saturated),
            None => Ok(Passage { points, waiting, total: total + longest }),
        }
    }

    /// The time between two messages of `size` of a host at and below which a point of the path is
    /// saturated: the largest of n x / (1 − ρ_b).
    pub fn shortest_interval(&self, size: Bytes) -> Seconds {
        let each = |point: &Point| point.fan_in / point.station(size.0 as f64, self.service).limit().0;
        Seconds(self.points.iter().map(each).fold(0.0, f64::max))
    }
}

/// What a switch of this level is called among so many.
fn name(level: usize, levels: usize) -> String {
    match (level, levels) {
        (_, 1) => "switch".into(),
        (0, 2) => "leaf".into(),
        (1, 2) => "spine".into(),
        _ => format!("level {} switch", level + 1),
    }
}
