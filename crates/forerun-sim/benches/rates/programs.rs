//! The patterns that are timed, as small programs.

use forerun_platform::Stage;
use forerun_skeleton::{Charge, Endpoint, Message, Program, Stop};

/// A task result that is only its size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) bytes: u64,
    pub(crate) results: u64,
}

impl Message for Size {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

fn charge(stage: Stage, item: u64, results: u64) -> Charge {
    Charge { stage, item, bytes: 8 * results, results }
}

async fn task<E: Endpoint<Size>>(e: &mut E, item: u64) -> Result<Size, Stop> {
    e.work(charge(Stage::Task, item, 1), || Ok(Size { bytes: 8, results: 1 })).await
}

/// The parallel-pipeline of Kuntraruk et al. (figure 1) for P = 2^levels ranks and a known number
/// of tasks; empty results travel as markers.
pub(crate) struct Pipeline {
    pub(crate) levels: u32,
    pub(crate) steps: u64,
}

impl Pipeline {
    pub(crate) fn ranks(&self) -> usize {
        1 << self.levels
    }

    /// Tasks for which every rank runs `steps` steps and then drains.
    fn tasks(&self) -> u64 {
        let p = 1u64 << self.levels;
        p + self.steps * p / 2
    }
}

impl Program for Pipeline {
    type Msg = Size;
    type Out = u64;

    async fn rank<E: Endpoint<Size>>(&self, e: &mut E) -> Result<u64, Stop> {
        let me = e.rank();
        let p = 1u64 << self.levels;
        let mut delivered = 0;
        let mut held =
            e.work(charge(Stage::Task, me as u64, 1), || Ok(Size { bytes: 8, results: 1 })).await?;
        let mut level = 0;
        for step in 0..self.steps + u64::from(self.levels) {
            let bit = 1usize << level;
            level = if level + 1 == self.levels { 0 } else { level + 1 };
            if me & bit == 0 {
                e.send(me + bit, held).await?;
                let item = p + step * (p / 2) + ((me & (bit - 1)) | (me >> 1 & !(bit - 1))) as u64;
                held = if item < self.tasks() {
                    e.work(charge(Stage::Task, item, 1), || Ok(Size { bytes: 8, results: 1 })).await?
                } else {
                    Size { bytes: 0, results: 0 }
                };
            } else {
                let other = e.recv_from(me - bit).await?;
                let both = charge(Stage::Merge, step, held.results + other.results);
                let merge = || Ok(Size { bytes: held.bytes + other.bytes, results: both.results });
                held = e.work(both, merge).await?;
            }
            if me + 1 == 1 << self.levels && step + 1 >= u64::from(self.levels) {
                delivered += held.results;
                held = Size { bytes: 0, results: 0 };
            }
        }
        Ok(delivered)
    }
}

/// Rank 0 receives from any what the others compute.
pub(crate) struct MasterSlave {
    pub(crate) tasks: u64,
}

impl Program for MasterSlave {
    type Msg = Size;
    type Out = u64;

    async fn rank<E: Endpoint<Size>>(&self, e: &mut E) -> Result<u64, Stop> {
        let slaves = e.size() as u64 - 1;
        let me = e.rank() as u64;
        let mut sum = 0;
        if me == 0 {
            for _ in 0..self.tasks {
                sum += e.recv_any().await?.1.results;
            }
        } else {
            let mut item = me - 1;
            while item < self.tasks {
                let result = task(e, item).await?;
                e.send(0, result).await?;
                item += slaves;
            }
        }
        Ok(sum)
    }
}

/// Rank 0 gives a task to whoever returns a result.
pub(crate) struct Farm {
    pub(crate) tasks: u64,
}

impl Program for Farm {
    type Msg = Size;
    type Out = u64;

    async fn rank<E: Endpoint<Size>>(&self, e: &mut E) -> Result<u64, Stop> {
        let slaves = e.size() - 1;
        let mut done = 0;
        if e.rank() == 0 {
            let order = |item| Size { bytes: 8, results: u64::from(item < self.tasks) };
            for slave in 1..=slaves {
                e.send(slave, order(slave as u64 - 1)).await?;
            }
            while done < self.tasks {
                let (slave, _) = e.recv_any().await?;
                e.send(slave, order(done + slaves as u64)).await?;
                done += 1;
            }
        } else {
            loop {
                let order = e.recv_from(0).await?;
                if order.results == 0 {
                    break;
                }
                let result = task(e, done).await?;
                e.send(0, result).await?;
                done += 1;
            }
        }
        Ok(done)
    }
}

/// Every rank draws tasks from the counter of rank 0 until there are none.
pub(crate) struct Claims {
    pub(crate) tasks: u64,
}

impl Program for Claims {
    type Msg = Size;
    type Out = u64;

    async fn rank<E: Endpoint<Size>>(&self, e: &mut E) -> Result<u64, Stop> {
        let mut done = 0;
        loop {
            let item = e.claim(0).await?;
            if item >= self.tasks {
                return Ok(done);
            }
            task(e, item).await?;
            done += 1;
        }
    }
}

/// Rank 0 sends, rank 1 receives.
pub(crate) struct Stream {
    pub(crate) messages: u64,
}

impl Program for Stream {
    type Msg = Size;
    type Out = ();

    async fn rank<E: Endpoint<Size>>(&self, e: &mut E) -> Result<(), Stop> {
        for _ in 0..self.messages {
            if e.rank() == 0 {
                e.send(1, Size { bytes: 8, results: 1 }).await?;
            } else {
                e.recv_from(0).await?;
            }
        }
        Ok(())
    }
}
