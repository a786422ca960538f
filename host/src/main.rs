//! `dynacu-host`: parse, run, print the chain of errors, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    dynacu_host::cli::main()
}
