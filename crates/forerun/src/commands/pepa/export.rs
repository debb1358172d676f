//! `forerun pepa export`.

use std::io::{self, BufWriter, Write};

use forerun_pepa::chain::Chain;
use forerun_pepa::export::{dot, matrix_market, prism, states_csv, transitions_csv};
use forerun_platform::file::is_standard_output;

use super::model::load;
use super::solve::long_run;
use super::states::explore;
use crate::cli::pepa::{ExportArgs, ExportAs};
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::file;

pub(super) fn run(args: &ExportArgs, context: &Context) -> Result<(), CliError> {
    if !is_standard_output(&args.out) {
        file::check("--out", &args.out)?;
    }
    let loaded = load(&args.model)?;
    let system = &loaded.system;
    if let ExportAs::Prism = args.what {
        let text = prism(system).map_err(request)?;
        return put(args, context, &mut |out| out.write_all(text.as_bytes()));
    }
    let space = explore(system, &args.space, context)?;
    match args.what {
        ExportAs::Mtx => {
            let chain = Chain::of(&space);
            put(args, context, &mut |out| matrix_market(&chain, out))
        }
        ExportAs::Dot => put(args, context, &mut |out| dot(system, &space, out)),
        ExportAs::States => {
            let steady = long_run(system, &space, 1e-10, context)?;
            put(args, context, &mut |out| states_csv(system, &space, Some(&steady.x), out))
        }
        ExportAs::Transitions => put(args, context, &mut |out| transitions_csv(system, &space, out)),
        ExportAs::Prism => Ok(()),
    }
}

/// Writes to the file or to standard output.
fn put(
    args: &ExportArgs,
    context: &Context,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    let path = &args.out;
    if is_standard_output(path) {
        let mut out = BufWriter::new(io::stdout().lock());
        return write(&mut out).and_then(|()| out.flush()).map_err(|e| file::unwritten(path, &e));
    }
    file::replace(path, |to| {
        let mut out = BufWriter::new(to);
        write(&mut out)?;
        out.flush()?;
        Ok(true)
    })
    .map_err(|e| file::unwritten(path, &e))?;
    context.console.note("written", &file::shown(path))
}
