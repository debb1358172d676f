//! `forerun platform`: the machines that predictions can be made for.

use forerun_platform::{Platform, presets};

use crate::cli::PlatformCommand;
use crate::commands::Context;
use crate::console::Console;
use crate::error::{CliError, request};
use crate::file::shown;

/// Lists, shows or checks platforms.
///
/// # Errors
/// What is wrong with a file, or that there is no such platform.
pub fn run(command: &PlatformCommand, context: &Context) -> Result<(), CliError> {
    let console = &context.console;
    match command {
        PlatformCommand::List => list(console),
        PlatformCommand::Show { platform } => {
            let platform = crate::figures::found(Some(platform), context)?;
            console.text(&platform.to_toml())?;
            console.data(&platform)
        }
        PlatformCommand::Check { files } => {
            let mut read = Vec::with_capacity(files.len());
            let mut wrong: Vec<String> = Vec::new();
            for file in files {
                match Platform::load(file) {
                    Ok(platform) => {
                        console.say(&platform.name, &format!("{} is as it should be", shown(file)))?;
                        read.push(platform);
                    }
                    Err(e) => wrong.push(e.to_string()),
                }
            }
            if !wrong.is_empty() {
                if files.len() > 1 {
                    wrong.push(format!("{} of {} files cannot be used", wrong.len(), files.len()));
                }
                return Err(request(wrong.join("\n")));
            }
            console.data(&read)
        }
    }
}

fn list(console: &Console) -> Result<(), CliError> {
    let mut platforms = Vec::new();
    let width = presets().iter().map(|p| p.name.len()).max().unwrap_or(0);
    for preset in presets() {
        console.text(&format!("{:<width$}  {}", preset.name, preset.about))?;
        platforms.push(preset.platform().map_err(request)?);
    }
    console.text(&format!("{:<width$}  this machine, as calibrated", "this"))?;
    console.data(&platforms)
}
