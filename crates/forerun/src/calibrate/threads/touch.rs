//! What it costs a receiver that its message was last written by another core.

use std::hint::black_box;

use forerun_skeleton::{Endpoint, Message, Program, Stop};

use crate::calibrate::clock::thread_seconds;

/// A message of many bytes.
pub(in crate::calibrate) struct Letter(Vec<u8>);

impl Message for Letter {
    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Rank 0 writes a message of each size and sends it; rank 1 reads it twice and returns how many
/// seconds a byte the first reading took longer than the second.
pub(in crate::calibrate) struct Touch {
    pub(in crate::calibrate) sizes: Vec<usize>,
}

impl Program for Touch {
    type Msg = Letter;
    type Out = Vec<f64>;

    async fn rank<E: Endpoint<Letter>>(&self, endpoint: &mut E) -> Result<Vec<f64>, Stop> {
        let mut times = Vec::with_capacity(self.sizes.len());
        for &size in &self.sizes {
            match endpoint.rank() {
                0 => {
                    let mut bytes = vec![0; size];
                    bytes.fill(black_box(1));
                    endpoint.send(1, Letter(bytes)).await?;
                    // Back, so that the next is written while nobody reads.
                    endpoint.recv_from(1).await?;
                }
                1 => {
                    let letter = endpoint.recv_from(0).await?;
                    let begun = thread_seconds();
                    read(&letter.0);
                    let again = thread_seconds();
                    read(&letter.0);
                    let end = thread_seconds();
                    times.push(((again - begun) - (end - again)) / size as f64);
                    endpoint.send(0, letter).await?;
                }
                _ => {}
            }
        }
        Ok(times)
    }
}

/// Reads every word once.
fn read(bytes: &[u8]) {
    let words = bytes.as_chunks::<8>().0;
    black_box(words.iter().fold(0u64, |sum, w| sum.wrapping_add(u64::from_le_bytes(*w))));
}
