//! Flags of `ringside doctor`.

use std::path::PathBuf;

use clap::Args;
use plan::runtime::Preset;

use super::value;

const EXAMPLES: &str = "\
Examples:
  ringside doctor --accelerate-config cp.yaml --accelerate-version 1.12.0
  ringside doctor --simulate colab-cpu --accelerate-version 1.12.0
  ringside doctor --error traceback.txt
  ringside doctor --accelerate-config cp.yaml --set seq_len=4095 --set packing=true
  ringside doctor --accelerate-version 1.13.0 -- --use_fsdp --fsdp_version 2 \\
      --parallelism_config_cp_size 2 train.py

Left out, the machine is taken to have what the run asks for; --simulate this looks at this one.

What --set takes besides environment variables, as none of it stands in a configuration:
  launcher              accelerate, notebook, torchrun or python
  num_processes         as given to notebook_launcher
  seq_len, pad_to_multiple_of, sliding_window   numbers of tokens
  packing               true or false
  attention_mask        causal, or anything else that the model masks by
  padding_side          left or right
  loss                  mean or sum: each rank's loss before the ranks are combined
  valid_tokens          equal or unequal over the shards of a sequence
  context               after-prepare or before-prepare: when the CP context is entered
  attn_implementation, ddp_backend   as given to the trainer

Exit codes: 0 nothing stops it, 1 something does, 2 the request cannot be met.";

/// Flags of `ringside doctor`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {
    /// A configuration as `accelerate config` writes it
    #[arg(long, value_name = "FILE")]
    pub accelerate_config: Option<PathBuf>,
    /// The text of the error in which a run ended; - reads it from stdin
    #[arg(long, value_name = "FILE")]
    pub error: Option<PathBuf>,
    /// The version of accelerate, as pip prints it
    #[arg(long, value_name = "VERSION")]
    pub accelerate_version: Option<String>,
    /// The version of torch
    #[arg(long, value_name = "VERSION")]
    pub torch_version: Option<String>,
    /// The version of TRL
    #[arg(long, value_name = "VERSION")]
    pub trl_version: Option<String>,
    /// The machine that the run is meant for
    #[arg(long, value_name = "MACHINE", value_parser = value::preset())]
    pub simulate: Option<Preset>,
    /// An environment variable, or a fact from the list below; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub settings: Vec<(String, String)>,
    /// What was typed after `accelerate launch`
    #[arg(last = true, value_name = "LAUNCH FLAGS", allow_hyphen_values = true)]
    pub launch: Vec<String>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let bare = text.strip_prefix("export ").unwrap_or(text).trim_start();
    match bare.split_once('=') {
        Some((name, value)) if !name.is_empty() && !name.contains(char::is_whitespace) => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("it must be a name and a value; try for example WORLD_SIZE=8".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_a_name_and_a_value() {
        assert_eq!(setting("A=b=c"), Ok(("A".to_owned(), "b=c".to_owned())));
        assert_eq!(setting("A="), Ok(("A".to_owned(), String::new())));
        assert_eq!(setting("export A=1"), Ok(("A".to_owned(), "1".to_owned())));
        assert!(setting("A B=1").is_err());
        assert!(setting("A").is_err() && setting("=b").is_err());
    }
}
