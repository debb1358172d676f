//! What the command line needs to know of a farm to plan, run and rehearse it.

use forerun_platform::Input;
use forerun_skeleton::farm::Answer;
use forerun_skeleton::{AppError, Codec};

/// Does with an answer what delivering it does, as a rehearsal.
pub type Rehearsal<'a, A> = Box<dyn FnMut(&A) -> Result<(), AppError> + 'a>;

/// An application with its input, that runs as a farm.
pub trait FarmJob: Answer<Answer: Send> + Sync {
    /// The application's name on the command line.
    fn name(&self) -> &'static str;

    /// The input in a few words, such as `100 files, 4 MB`.
    fn summary(&self) -> String;

    /// What it was given to work on, with what an earlier run has done of it.
    fn input(&self) -> Input {
        Input { bytes: None, items: Some(self.tasks()), words: self.summary() }
    }

    /// The external programs that do its work, in words, where such do: what it costs is what they cost.
    fn program(&self) -> Option<String> {
        None
    }

    /// Whether the answer of task `index` is there already, from an earlier run.
    fn is_done(&self, _index: u64) -> bool {
        false
    }

    /// Whether answers are to be delivered in the order of the tasks, as far as they can be.
    fn in_order(&self) -> bool {
        false
    }

    /// Takes the answer of task `index`; each once, from any thread. Those of a pilot are delivered as the run's are.
    ///
    /// # Errors
    /// Ends the run with the sentence.
    fn deliver(&self, index: u64, answer: Self::Answer) -> Result<(), AppError>;

    /// Begins to try out what delivering answers costs: each call of what it gives does with an answer what [`FarmJob::deliver`] does,
    /// on the file system where that is done, or to a pipe of its own. When it is dropped, nothing of it is left. None where delivering is
    /// nothing to speak of, or cannot be tried.
    fn rehearsal(&self) -> Option<Rehearsal<'_, Self::Answer>> {
        None
    }

    /// Writes answers as bytes for ranks that share no memory, and reads them.
    fn codec(&self) -> impl Codec<Self::Answer> + Sync;

    /// Lets go of what one process at a time may have open, before another one runs the job.
    fn let_go(&self) {}

    /// What a person should know of what an earlier run has done.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether this stands for a task that was given up ([`Answer::given_up`]), and is none that the task gave.
    fn stands_in(&self, _answer: &Self::Answer) -> bool {
        false
    }

    /// Which tasks that were delivered have been given up, and why, in a sentence that ends a run which went on without them; none where
    /// all were done.
    fn missing(&self) -> Option<String> {
        None
    }

    /// What task `index` works on, for a message.
    fn input_name(&self, index: u64) -> String;

    /// Whether its tasks are done by other processes on the rank's host, so that only the wall clock sees them.
    fn outside(&self) -> bool {
        false
    }

    /// Starts a program that does nothing as those are started that do its tasks, and gives the seconds from then until it has ended. None where
    /// no program does, or that one could not run.
    fn start(&self) -> Option<f64> {
        None
    }

    /// Whether its finish is something to speak of, and can be rehearsed. What is delivered to such a job leaves no trace before
    /// the finish.
    fn rehearses(&self) -> bool {
        false
    }

    /// Does with the answers of `tasks`, which were delivered, what [`FarmJob::finish`] does with all, and keeps nothing of it: for
    /// trying out what it costs, where [`FarmJob::rehearses`].
    ///
    /// # Errors
    /// As for [`FarmJob::finish`].
    fn rehearse_finish(&self, tasks: &[u64]) -> Result<(), AppError> {
        let _ = tasks;
        Ok(())
    }

    /// Makes what was delivered the job's result, and says in a few words what that is. Called when every answer is there.
    ///
    /// # Errors
    /// A sentence that names the file.
    fn finish(&self) -> Result<String, AppError>;
}
