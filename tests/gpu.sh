#!/usr/bin/env bash
# Checks the ranks on a GPU: loss, logits and every gradient of each strategy, layout and world
# against one rank in f64 on the CPU, then NCCL's laws where there are two GPUs, then the time of a
# step. Builds with CUDA first, or takes the program that RINGSIDE names. Fails without a GPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv
gpus=$(nvidia-smi --list-gpus | wc -l)

if [ -z "${RINGSIDE:-}" ]; then
  feature=cuda
  if [ "$gpus" -gt 1 ]; then feature=nccl; fi
  cargo xtask cuda --only "$feature"
  RINGSIDE=${CARGO_TARGET_DIR:-target}/release/ringside
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
small=(--seq-len 96 --d-model 64 --heads 8 --kv-heads 4 --layers 2)
runs=0
failed=()
verify() {
  runs=$((runs + 1))
  # The sizes that most runs share are not worth a line each.
  local shown="$*"
  printf '%-80s ' "verify ${shown/#"${small[*]}"/}"
  if "$RINGSIDE" verify --device cuda "$@" > "$log" 2>&1; then
    tail -n 1 "$log"
  else
    echo FAILED
    cat "$log"
    failed+=("$*")
  fi
}

for cp in 1 2 4; do
  for layout in contiguous zigzag striped; do
    for strategy in ring all-gather ulysses usp; do
      # USP is two rings of two: it needs four ranks to differ from the others.
      if [ "$strategy" = usp ] && [ "$cp" -lt 4 ]; then continue; fi
      verify "${small[@]}" --backend threads --cp "$cp" --layout "$layout" --strategy "$strategy"
    done
  done
done
# What else changes a kernel's shape: documents, a window, a length that nobody divides, replicas,
# few key/value heads, slices that are cut into blocks.
verify "${small[@]}" --backend threads --cp 4 --documents 30,50,16
verify "${small[@]}" --backend threads --cp 4 --window 20 --layout zigzag
verify --seq-len 83 --d-model 64 --heads 8 --kv-heads 2 --backend threads --cp 4 --strategy ulysses
verify "${small[@]}" --backend threads --cp 2 --dp 2 --batch 2 --grad-accum 2
verify --seq-len 1200 --layers 1 --backend threads --cp 2 --layout zigzag

if [ "$gpus" -gt 1 ]; then
  for strategy in ring all-gather ulysses; do
    verify "${small[@]}" --backend nccl --cp 2 --strategy "$strategy"
  done
  if [ -n "${CUDA_HOME:-}" ]; then
    cargo test --release --package tests --features nccl -- --ignored nccl_keeps_every_law
  else
    echo "NOT RUN: NCCL's laws, which are built with cargo: set the variables that cargo xtask cuda prints"
  fi
else
  echo "NOT RUN: everything over NCCL, which needs two GPUs; this machine has $gpus"
fi

if [ "${#failed[@]}" -gt 0 ]; then
  echo "FAILED: ${#failed[@]} of $runs runs"
  printf '  verify %s\n' "${failed[@]}"
  exit 1
fi
echo "All $runs runs are equal to one rank on the CPU within 1e-4."

"$RINGSIDE" bench --device cuda
"$RINGSIDE" bench --device cpu
