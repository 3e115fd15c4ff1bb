//! Requests that cannot be met: each names the field, its value and what would work, and changes
//! nothing.

use super::Folder;

/// Runs `line` among a few prepared files; it must be refused with all of `words`.
fn refused(line: &str, words: &[&str]) {
    let folder = Folder::new();
    folder.write("empty.txt", "");
    folder.write("short.txt", "ten bytes.");
    folder.write("typo.toml", "cp = 2\nseqlen = 64\n");
    folder.write("kind.toml", "cp = 2\nlayout = \"spiral\"\n");
    folder.write("broken.toml", "cp = \n");
    folder.write("recall.toml", "task = \"recall\"\n");
    std::fs::create_dir(folder.path("folder")).unwrap();
    folder.write("folder/short.toml", "text = \"../short.txt\"\n");
    folder.write("fault.toml", "cp = 2\nfault = \"gremlins\"\n");
    folder.write("cuda.toml", "device = \"cuda\"\n");
    folder.write("many.toml", "cp = 2\nseq_len = \"many\"\n");
    let before = folder.names();
    let end = folder.run(line);
    assert_eq!(end.code, Some(2), "{line}: {end:#?}");
    assert!(end.stderr.starts_with("error: "), "{line}: {end:#?}");
    assert_eq!(end.stdout, "", "{line}");
    for word in words {
        assert!(end.stderr.contains(word), "{line}: no `{word}` in {}", end.stderr);
    }
    assert_eq!(folder.names(), before, "{line}");
}

#[test]
fn texts() {
    refused("train --text empty.txt", &["text = empty.txt (empty)", "256 bytes"]);
    let short = ["text = short.txt (10 bytes)", "seq_len = 256", "seq_len to 10"];
    refused("train --text short.txt", &short);
    refused("train --config folder/short.toml", &["text = folder/../short.txt (10 bytes)"]);
    refused("train --text gone.txt", &["text = gone.txt", "give a file"]);
    refused("train --text folder", &["text = folder", "give a file"]);
    refused("train --text short.txt --task copy", &["task = copy", "--text"]);
    refused("train --text short.txt --config recall.toml", &["task = recall", "--text"]);
}

#[test]
fn sizes() {
    refused("train --seq-len 0", &["seq_len = 0", "try 1"]);
    refused("train --seq-len 1 --cp 1", &["seq_len = 1", "try"]);
    refused("train --seq-len 100000000000", &["seq_len = 100000000000", "try 65536"]);
    refused("train --cp 0", &["cp = 0", "try 1"]);
    refused("train --cp 257", &["cp = 257", "256 tokens", "try at most 256"]);
    refused("train --cp 5000", &["cp = 5000", "try 1024"]);
    refused("train --dp 0", &["dp = 0", "try 1"]);
    refused("train --steps 0", &["steps = 0", "try 1"]);
    refused("train --steps 20000000", &["steps = 20000000", "try 10000000"]);
    let more = ["--steps", "18446744073709551615", "more than any run", "try 10000000 or fewer"];
    refused("train --steps 18446744073709551615", &more);
    refused("train --batch 3 --grad-accum 2", &["grad_accum = 2", "batch of 3", "one of 1, 3"]);
    refused("train --grad-accum 0", &["grad_accum = 0", "at least one micro-batch; try 1"]);
    refused("train --heads 0", &["heads = 0", "try 1"]);
    refused("train --heads 3", &["heads = 3", "d_model", "of 64", "try one of 1, 2, 4", "66"]);
    refused("train --d-model 63", &["d_model = 63", "4 heads", "try 64"]);
    refused("train --kv-heads 3", &["kv_heads = 3", "try one of 1, 2, 4"]);
    refused("train --lr -1", &["lr = -1", "between 0 and"]);
    refused("train --lr nan", &["lr = NaN", "between 0 and"]);
    refused("train --dropout 0.1", &["dropout = 0.1", "try 0"]);
    refused("train --window 0", &["window = 0", "try 1"]);
    refused("train --seq-len 8 --documents 3,4", &["documents = 3,4", "7", "8"]);
    refused("train --documents 0,256", &["documents = 0,256", "at least 1"]);
    refused("train --task recall --seq-len 8", &["seq_len = 8", "try 16"]);
    refused("train --until 201", &["until = 201", "try 200"]);
    refused("verify --seq-len 65536 --task copy", &["seq_len = 65536", "reference", "try 4096"]);
}

#[test]
fn combinations() {
    refused("train --cp 8 --strategy ulysses", &["strategy = ulysses", "try strategy ring"]);
    refused("train --ulysses-degree 2", &["ulysses_degree = 2", "usp"]);
    refused(
        "train --cp 8 --strategy usp --ulysses-degree 3",
        &["ulysses_degree = 3", "try one of 1, 2, 4, 8"],
    );
    refused("verify --cp 3 --strategy ulysses", &["strategy = ulysses", "3 ranks"]);
}

#[test]
fn faults() {
    refused("train --fault gremlins", &["gremlins", "no-exchange", "local-positions", "list"]);
    refused("train --fault no-exchange --cp 1", &["fault = no-exchange", "try cp 2 or more"]);
    refused("train --config fault.toml", &["fault = gremlins", "line 2", "cp-assumed"]);
    let alike = "train --fault mean-of-means --documents 64,64,64,64";
    refused(alike, &["fault = mean-of-means", "equally many valid tokens", "unequal lengths"]);
}

#[test]
fn machines() {
    let not_compiled = ["device = cuda", "built without CUDA", "--features cuda", "device cpu"];
    refused("train --device cuda", &not_compiled);
    refused("verify --config cuda.toml", &not_compiled);
    refused("bench --device cuda", &not_compiled);
    let no_mpi = ["backend = mpi", "built without MPI", "--features mpi", "backend threads"];
    refused("train --backend mpi", &no_mpi);
    refused("verify --backend nccl", &["backend = nccl", "built without CUDA", "backend auto"]);
    refused("train --threads 0", &["--threads", "0", "try 1"]);
}

/// Started by MPI, a program without it would train the whole run once in each process.
#[test]
fn a_launch_that_this_program_cannot_join_is_refused() {
    let folder = Folder::new();
    let launched = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "1")];
    let end = folder.run_with("train --steps 1", &launched);
    assert_eq!(end.code, Some(2), "{end:#?}");
    for word in ["Open MPI started 4 processes", "alone", "--features mpi"] {
        assert!(end.stderr.contains(word), "no `{word}` in {}", end.stderr);
    }
}

#[test]
fn a_variable_that_is_no_number_of_threads_is_refused() {
    let folder = Folder::new();
    let many = [("RAYON_NUM_THREADS", "many")];
    let end = folder.run_with("train --steps 1 --seq-len 16", &many);
    assert_eq!(end.code, Some(2), "{end:#?}");
    for word in ["RAYON_NUM_THREADS = many", "number of threads", "--threads"] {
        assert!(end.stderr.contains(word), "no `{word}` in {}", end.stderr);
    }
    // A flag outranks it, and what multiplies nothing does not care.
    for line in ["train --steps 1 --seq-len 16 --threads 1", "inspect mesh"] {
        let end = folder.run_with(line, &many);
        assert_eq!(end.code, Some(0), "{line}: {end:#?}");
    }
}

#[test]
fn flags_that_verify_cannot_honour_are_refused() {
    for flag in ["until 3", "metrics m", "trace t", "save s", "resume short.txt", "quiet"] {
        let name = format!("--{}", flag.split(' ').next().unwrap());
        refused(&format!("verify --{flag}"), &[&name, "--help"]);
    }
}

#[test]
fn words() {
    refused("train --sequence-length 8", &["--sequence-length", "--help"]);
    refused("train --cp four", &["--cp", "four", "whole number", "try"]);
    refused("train --cp -1", &["--cp", "-1", "whole number", "try"]);
    refused("train --lr fast", &["--lr", "fast", "number", "try"]);
    refused("train --layout spiral", &["--layout", "spiral", "contiguous, zigzag, striped"]);
    refused("train --strategy spiral", &["--strategy", "ring, all-gather, ulysses, usp"]);
    refused("train --optimizer adam", &["--optimizer", "adamw, sgd"]);
    refused("train --cp 2 --cp 4", &["--cp"]);
    refused("fly", &["fly", "--help"]);
}

#[test]
fn configs() {
    refused("train --config typo.toml", &["seqlen = 64", "typo.toml", "seq_len", "kv_heads"]);
    refused("train --config kind.toml", &["layout = spiral", "line 2 of kind.toml", "zigzag"]);
    let many = ["seq_len = many: it must be a whole number (line 2 of many.toml); try"];
    refused("train --config many.toml", &many);
    refused("verify --config broken.toml", &["broken.toml", "line 1"]);
    refused("train --config gone.toml", &["config = gone.toml", "give a TOML file"]);
    refused("train --config folder", &["config = folder", "give a TOML file"]);
}

#[test]
fn files() {
    for flag in ["metrics", "trace", "save"] {
        let line = format!("train --{flag} gone/file");
        refused(&line, &[&format!("{flag} = gone/file"), "folder does not exist"]);
        let line = format!("train --{flag} folder");
        refused(&line, &[&format!("{flag} = folder"), "it is a folder"]);
        refused(&format!("train --{flag} short.txt/file"), &[flag, "short.txt/file"]);
    }
    refused("train --metrics a.json --trace ./a.json", &["trace", "--metrics", "its own"]);
    // The first can be written, the second cannot: neither may appear.
    refused("train --metrics fine.jsonl --save gone/file", &["save = gone/file"]);
    refused("train --save fine.safetensors --cp 0", &["cp = 0"]);
    refused("train --resume gone.safetensors", &["resume = gone.safetensors", "--save"]);
    refused("train --resume short.txt", &["resume = short.txt", "safetensors", "--save"]);
}

#[test]
fn views() {
    refused("inspect shard --cp 0", &["cp = 0", "try 1"]);
    refused("inspect shard --seq-len 3 --cp 4", &["cp = 4", "3 tokens", "try at most 3"]);
    refused("inspect shard --seq-len 9 --documents 3,5", &["documents = 3,5", "seq_len"]);
    refused("inspect targets --ids 1,b --cp 2", &["--ids", "b", "whole number"]);
    refused("inspect targets --cp 2", &["--ids"]);
    refused("inspect targets --ids 1,2 --seq-len 3 --cp 1", &["seq_len = 3", "2 tokens"]);
    refused("inspect schedule --cp 3 --strategy ulysses", &["strategy = ulysses"]);
    refused("inspect traffic --head-dim 0", &["head_dim = 0", "try 1"]);
    refused("inspect traffic --kv-heads 0", &["kv_heads = 0", "try one of"]);
    refused("inspect memory --layers 0", &["layers = 0", "try 1"]);
    refused("inspect mesh --dp 0", &["dp = 0", "try 1"]);
    refused("inspect mesh --dp 600 --cp 2", &["world_size = 1200", "1024"]);
}

#[test]
fn what_looks_odd_and_is_fine() {
    let folder = Folder::new();
    folder.write("bytes.bin", (0..=255u8).cycle().skip(128).take(300).collect::<Vec<_>>());
    folder.write("exact.txt", "exactly twelve bytes?!".get(..12).unwrap());
    folder.write("run.toml", "seq_len = 48\ncp = 2\nlayers = 1\nlr = 1e-3\n");
    let elsewhere = "text = \"exact.txt\"\nseq_len = 12\ncp = 2\nsteps = 1\ndevice = \"cpu\"\n";
    folder.write("elsewhere.toml", elsewhere);
    for line in [
        "train --text bytes.bin --steps 1",
        "train --text exact.txt --seq-len 12 --steps 1",
        "train --seq-len 251 --layout zigzag --steps 1",
        "train --seq-len 5 --cp 4 --layout zigzag --steps 1",
        "train --seq-len 4 --cp 4 --steps 1",
        "train --config run.toml --cp 3 --steps 1",
        "train --config elsewhere.toml",
        "train --documents 20,30 --steps 1 --quiet",
        "train --steps 1 --device cuda --force-cpu",
        "train --steps 1 --backend nccl --force-cpu",
        "inspect targets --ids -100,5 --cp 2",
        "inspect targets --ids=-1 --cp 1",
        "train --steps 1 --device cpu --backend threads --force-cpu --threads 2",
        "train --steps 1 --trace /dev/null --metrics /dev/null",
        "inspect shard --documents 3,5,8 --cp 4",
    ] {
        folder.done(line);
    }
}

#[test]
fn what_a_run_reads_is_not_written_over() {
    let folder = Folder::new();
    let text = "a text that its writer would miss ".repeat(20);
    std::fs::write(folder.path("mine.txt"), &text).unwrap();
    std::fs::write(folder.path("run.toml"), "steps = 2\n").unwrap();
    std::fs::write(folder.path("mine.toml"), "text = \"mine.txt\"\nsteps = 1\n").unwrap();
    for line in [
        "train --steps 1 --text mine.txt --metrics mine.txt",
        "train --steps 1 --text mine.txt --save ./mine.txt",
        "train --config run.toml --trace run.toml",
        "train --config mine.toml --metrics mine.txt",
    ] {
        let end = folder.run(line);
        assert_eq!(end.code, Some(2), "{line}: {end:#?}");
        assert!(end.stderr.contains("reads this file"), "{line}: {}", end.stderr);
    }
    assert_eq!(folder.read("mine.txt"), text);
}
