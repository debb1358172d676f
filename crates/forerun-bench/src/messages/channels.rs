//! The patterns over channels.

use std::hint::spin_loop;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use super::load::Load;

/// The sending end.
pub(super) trait Tx<L>: Send {
    fn put(&mut self, load: L);
}

/// The receiving end.
pub(super) trait Rx<L>: Send {
    fn get(&mut self) -> L;
}

pub(super) fn crossbeam<L>(
    capacity: usize,
) -> (crossbeam_channel::Sender<L>, crossbeam_channel::Receiver<L>) {
    crossbeam_channel::bounded(capacity)
}

impl<L: Load> Tx<L> for crossbeam_channel::Sender<L> {
    fn put(&mut self, load: L) {
        self.send(load).expect("the receiver is there");
    }
}

impl<L: Load> Rx<L> for crossbeam_channel::Receiver<L> {
    fn get(&mut self) -> L {
        self.recv().expect("the sender is there")
    }
}

pub(super) fn standard<L>(capacity: usize) -> (mpsc::SyncSender<L>, mpsc::Receiver<L>) {
    mpsc::sync_channel(capacity)
}

impl<L: Load> Tx<L> for mpsc::SyncSender<L> {
    fn put(&mut self, load: L) {
        self.send(load).expect("the receiver is there");
    }
}

impl<L: Load> Rx<L> for mpsc::Receiver<L> {
    fn get(&mut self) -> L {
        self.recv().expect("the sender is there")
    }
}

pub(super) fn ring<L>(capacity: usize) -> (rtrb::Producer<L>, rtrb::Consumer<L>) {
    rtrb::RingBuffer::new(capacity)
}

/// Looks before a thread that spins lets others run.
const SPINS: u32 = 10_000;

impl<L: Load> Tx<L> for rtrb::Producer<L> {
    fn put(&mut self, mut load: L) {
        let mut spins = 0;
        while let Err(rtrb::PushError::Full(back)) = self.push(load) {
            load = back;
            pause(&mut spins);
        }
    }
}

impl<L: Load> Rx<L> for rtrb::Consumer<L> {
    fn get(&mut self) -> L {
        let mut spins = 0;
        loop {
            match self.pop() {
                Ok(load) => return load,
                Err(rtrb::PopError::Empty) => pause(&mut spins),
            }
        }
    }
}

fn pause(spins: &mut u32) {
    *spins += 1;
    if spins.is_multiple_of(SPINS) { thread::yield_now() } else { spin_loop() }
}

/// Checks that every message came once; gives nanoseconds.
fn judge(begun: Instant, sum: u64, messages: u64) -> f64 {
    let took = begun.elapsed().as_nanos() as f64;
    assert_eq!(sum, messages * (messages - 1) / 2, "a message was lost or came twice");
    took
}

/// Nanoseconds a message of a stream.
pub(super) fn stream<L: Load, T: Tx<L>, R: Rx<L>>((mut tx, mut rx): (T, R), messages: u64) -> f64 {
    let begun = Instant::now();
    let sum = thread::scope(|scope| {
        let receiver = scope.spawn(move || (0..messages).map(|_| rx.get().read()).sum());
        scope.spawn(move || (0..messages).for_each(|n| tx.put(L::make(n))));
        receiver.join().expect("it does not panic")
    });
    judge(begun, sum, messages) / messages as f64
}

/// Nanoseconds one way.
pub(super) fn ping_pong<L: Load, T: Tx<L>, R: Rx<L>>(
    (mut there, mut arrived): (T, R),
    (mut back, mut returned): (T, R),
    turns: u64,
) -> f64 {
    let begun = Instant::now();
    let last = thread::scope(|scope| {
        scope.spawn(move || (0..turns).for_each(|_| back.put(arrived.get())));
        let first = scope.spawn(move || {
            let mut ball = L::make(turns);
            for _ in 0..turns {
                there.put(ball);
                ball = returned.get();
            }
            ball.read()
        });
        first.join().expect("it does not panic")
    });
    let took = begun.elapsed().as_nanos() as f64;
    assert_eq!(last, turns, "another message came back");
    took / (2 * turns) as f64
}

/// Nanoseconds a message from several senders through one channel.
pub(super) fn shared<L: Load, T: Tx<L> + Clone, R: Rx<L>>(
    (tx, mut rx): (T, R),
    senders: usize,
    messages: u64,
) -> f64 {
    let begun = Instant::now();
    let sum = thread::scope(|scope| {
        for sender in 0..senders {
            let mut tx = tx.clone();
            scope.spawn(move || (sender as u64..messages).step_by(senders).for_each(|n| tx.put(L::make(n))));
        }
        let receiver = scope.spawn(move || (0..messages).map(|_| rx.get().read()).sum());
        receiver.join().expect("it does not panic")
    });
    judge(begun, sum, messages) / messages as f64
}

/// Nanoseconds a message from several senders, each with a ring of its own.
pub(super) fn rings<L: Load>(senders: usize, capacity: usize, messages: u64) -> f64 {
    let begun = Instant::now();
    let sum = thread::scope(|scope| {
        let mut ends = Vec::with_capacity(senders);
        for sender in 0..senders {
            let (mut tx, rx) = ring::<L>(capacity);
            scope.spawn(move || (sender as u64..messages).step_by(senders).for_each(|n| tx.put(L::make(n))));
            ends.push(rx);
        }
        let receiver = scope.spawn(move || {
            let (mut sum, mut left, mut spins) = (0, messages, 0);
            while left > 0 {
                let before = left;
                for end in &mut ends {
                    while let Ok(load) = end.pop() {
                        sum += load.read();
                        left -= 1;
                    }
                }
                if left == before {
                    pause(&mut spins);
                }
            }
            sum
        });
        receiver.join().expect("it does not panic")
    });
    judge(begun, sum, messages) / messages as f64
}
