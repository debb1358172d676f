//! What `features` takes.

use clap::{Args, Subcommand};

/// What `features` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  forerun run features docs/ --db sqlite:features.db
  forerun features top features.db
  forerun features search features.db parallel program")]
pub struct FeaturesArgs {
    /// What to ask.
    #[command(subcommand)]
    pub what: FeaturesCommand,
}

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum FeaturesCommand {
    /// Where a phrase occurs, and which phrases contain it.
    Search {
        /// The database: FILE or sqlite:FILE, or postgres://USER@HOST/NAME.
        #[arg(value_name = "DB")]
        db: String,
        /// The phrase, in any case; articles and the like are left out where nothing begins so.
        #[arg(required = true, value_name = "PHRASE")]
        phrase: Vec<String>,
        /// Documents and phrases to show at most.
        #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
        limit: u32,
    },
    /// The most frequent phrases.
    Top {
        /// The database: FILE or sqlite:FILE, or postgres://USER@HOST/NAME.
        #[arg(value_name = "DB")]
        db: String,
        /// Phrases to show at most.
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
        limit: u32,
    },
}
