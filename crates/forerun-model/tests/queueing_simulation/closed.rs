//! Closed queueing networks.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use forerun_model::queueing::{Centre, Closed, Servers};
use forerun_platform::Seconds;

use crate::random::{Random, within};

/// What happens next: when, which rank, and the centre that it leaves.
#[derive(PartialEq)]
struct Event(f64, usize, usize);

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

/// Times of `rounds` rounds in the order in which they end, ranks going through the centres in turn
/// and then thinking.
fn rounds(centres: &[Centre], think: f64, ranks: usize, rounds: usize, seed: u64) -> Vec<f64> {
    let mut r = Random(seed);
    let mut events = BinaryHeap::new();
    let mut queues: Vec<VecDeque<usize>> = centres.iter().map(|_| VecDeque::new()).collect();
    let mut busy = vec![0u64; centres.len()];
    // Thinking is the last place.
    let place = centres.len();
    for rank in 0..ranks {
        events.push(Reverse(Event(r.exponential(think), rank, place)));
    }
    let mut begun = vec![0.0; ranks];
    let mut times = Vec::with_capacity(rounds);
    while times.len() < rounds {
        let Some(Reverse(Event(now, rank, from))) = events.pop() else { unreachable!("ranks go round") };
        // Whoever waits at the place left is next.
        if from < place {
            match queues[from].pop_front() {
                Some(next) => {
                    events.push(Reverse(Event(now + r.exponential(centres[from].demand.0), next, from)))
                }
                None => busy[from] -= 1,
            }
        }
        let to = if from == place { 0 } else { from + 1 };
        if from == place {
            begun[rank] = now;
        }
        if to == place {
            times.push(now - begun[rank]);
            events.push(Reverse(Event(now + r.exponential(think), rank, place)));
            continue;
        }
        let free = match centres[to].servers {
            Servers::Delay => true,
            Servers::Queue(servers) => busy[to] < servers,
        };
        if free {
            busy[to] += 1;
            events.push(Reverse(Event(now + r.exponential(centres[to].demand.0), rank, to)));
        } else {
            queues[to].push_back(rank);
        }
    }
    times
}

#[test]
fn ranks_that_wait_for_their_answers() {
    let networks = [
        (vec![Centre::queue("master", Seconds(0.1))], 1.0, [4, 10, 30]),
        (vec![Centre::queue("leaf", Seconds(0.05)), Centre::queue("spine", Seconds(0.08))], 0.5, [2, 8, 20]),
        (
            vec![
                Centre::servers("masters", Seconds(0.3), 3),
                Centre::delay("wire", Seconds(0.2)),
                Centre::queue("disk", Seconds(0.09)),
            ],
            0.5,
            [3, 10, 25],
        ),
    ];
    for (i, (centres, think, populations)) in networks.into_iter().enumerate() {
        let network = Closed::new(centres.clone(), Seconds(think)).unwrap();
        for n in populations {
            let solution = network.solve(n);
            let ran = rounds(&centres, think, n as usize, 500_000, 1000 * i as u64 + n);
            within(solution.response.0, &ran, &format!("network {i} with {n} ranks"));
        }
    }
}
