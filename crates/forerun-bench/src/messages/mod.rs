//! What a message costs between threads.

mod channels;
mod endpoint;
mod load;

use std::io;

use load::{Block, Load, Word};

use crate::record::Record;
use crate::table::{Contender, Table};

/// Measures every pattern with every contender.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    for window in [1, 4, 64] {
        stream(window, rounds, record);
    }
    ping_pong::<Word>(rounds, record);
    ping_pong::<Block>(rounds, record);
    for senders in [1, 2] {
        for window in [4, 64] {
            many_to_one(senders, window, rounds, record);
        }
    }
    record.note(
        "Whoever waits spins and then sleeps, but for rtrb, which only spins. In a ping-pong one message goes to \
         and fro. Many to one: the rivals' one channel holds the windows of all senders; rtrb has a ring for \
         each sender.",
    );
    Ok(())
}

fn stream(window: usize, rounds: usize, record: &mut Record) {
    let contenders = vec![
        Contender::repeating("forerun", |n| endpoint::stream::<Word>(window, n)),
        Contender::repeating("crossbeam-channel", |n| {
            channels::stream::<Word, _, _>(channels::crossbeam(window), n)
        }),
        Contender::repeating("std sync_channel", |n| {
            channels::stream::<Word, _, _>(channels::standard(window), n)
        }),
        Contender::repeating("rtrb, spinning", |n| channels::stream::<Word, _, _>(channels::ring(window), n)),
    ];
    let title = format!("Stream of u64, window {window}");
    record.add(&Table::measure(title, "ns a message", rounds, contenders));
}

fn ping_pong<L: Load>(rounds: usize, record: &mut Record) {
    let contenders = vec![
        Contender::repeating("forerun", |n| endpoint::ping_pong::<L>(1, n)),
        Contender::repeating("crossbeam-channel", |n| {
            channels::ping_pong::<L, _, _>(channels::crossbeam(1), channels::crossbeam(1), n)
        }),
        Contender::repeating("std sync_channel", |n| {
            channels::ping_pong::<L, _, _>(channels::standard(1), channels::standard(1), n)
        }),
        Contender::repeating("rtrb, spinning", |n| {
            channels::ping_pong::<L, _, _>(channels::ring(1), channels::ring(1), n)
        }),
    ];
    let title = format!("Ping-pong of {}, window 1", L::NAME);
    record.add(&Table::measure(title, "ns one way", rounds, contenders));
}

fn many_to_one(senders: usize, window: usize, rounds: usize, record: &mut Record) {
    let all = window * senders;
    let contenders = vec![
        Contender::repeating("forerun", |n| endpoint::many_to_one::<Word>(senders, window, n)),
        Contender::repeating("crossbeam-channel", |n| {
            channels::shared::<Word, _, _>(channels::crossbeam(all), senders, n)
        }),
        Contender::repeating("std sync_channel", |n| {
            channels::shared::<Word, _, _>(channels::standard(all), senders, n)
        }),
        Contender::repeating("rtrb, spinning", |n| channels::rings::<Word>(senders, window, n)),
    ];
    let title = format!("Many to one of u64, {senders} sender(s), window {window}");
    record.add(&Table::measure(title, "ns a message", rounds, contenders));
}
