//! `provider-server`: a provider's stand-in on the loopback, to try an adapter without a key.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use dynacu_providers::{Options, Provider, Script, Server};

/// Speaks a model provider's protocol strictly and answers from a script.
///
/// The first line on standard output is its address. Every request prints one line on standard error; all of them are
/// listed as JSON at ADDRESS/_exchanges.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// anthropic, openai-chat, openai-responses, gemini or openai-compatible
    #[arg(long)]
    provider: Provider,
    /// The script, a TOML file
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    /// Port on the loopback; a free one if none is given
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The only key that is accepted; any key if none is given
    #[arg(long)]
    key: Option<String>,
    /// A model that exists; may be repeated, and replaces the provider's own list
    #[arg(long = "model", value_name = "NAME")]
    models: Vec<String>,
    /// Answer coordinates on a grid of this size instead of the provider's usual one; 0 for pixels
    #[arg(long)]
    grid: Option<u32>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let script = Script::load(&arguments.script)
        .with_context(|| format!("{} cannot be used", arguments.script.display()))?;
    let options = Options {
        port: arguments.port,
        key: arguments.key,
        models: arguments.models,
        grid: arguments.grid,
    };
    let server = Server::start_with_log(arguments.provider, script, &options)?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", server.url())?;
    out.flush()?;
    server.run();
    Ok(())
}
