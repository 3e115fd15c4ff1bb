"""Write the reference values that Ringside's Rust tests compare with.

Everything here is computed by PyTorch on one process, without any sharding,
in float64, and is then rounded to float32 for storage. The inputs (weights,
queries, keys, ...) are rounded to float32 *before* the computation, so a test
that reads them starts from exactly the numbers that were used here.

    pip install torch numpy safetensors
    python tests/golden/generate.py            # writes beside this file
    python tests/golden/generate.py --out DIR  # writes elsewhere, to compare

Files:

    gpt.safetensors, gpt.json           a tiny GPT with 4 key/value heads
    gpt_gqa.safetensors, gpt_gqa.json   the same model with 2 key/value heads
    attention.safetensors, attention.json   attention alone, several masks

Random numbers come from NumPy's PCG64, seeded per file, so they do not depend
on the version of PyTorch.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch.nn.attention import SDPBackend, sdpa_kernel

IGNORED = -100


def random_normal(rng, shape, std=1.0, mean=0.0):
    """Normal values, rounded to float32 and returned as float64."""
    values = (mean + std * rng.standard_normal(shape)).astype(np.float32)
    return torch.from_numpy(values.astype(np.float64))


def sdpa(q, k, v, visible):
    """PyTorch's own attention with an explicit boolean mask.

    q is [B, Hq, S, D]; k and v are [B, Hkv, S, D]. Consecutive query heads
    share a key/value head. visible[i, j] is True where query i sees key j.
    """
    group = q.shape[1] // k.shape[1]
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=visible)


def visibility(seq, documents=None, window=None):
    """Causal, within a document, and at most window - 1 positions back."""
    i = torch.arange(seq)[:, None]
    j = torch.arange(seq)[None, :]
    visible = j <= i
    if documents is not None:
        assert sum(documents) == seq
        doc = torch.repeat_interleave(
            torch.arange(len(documents)), torch.tensor(documents)
        )
        visible = visible & (doc[:, None] == doc[None, :])
    if window is not None:
        visible = visible & (i - j < window)
    return visible


def assert_finite_difference(value, tensor, grad, rng, name, entries=3, step=1e-5):
    """Compare grad with central differences, at its largest entry and others.

    value() must return the scalar as a function of tensor's present content.
    """
    flat, g = tensor.view(-1), grad.reshape(-1)
    chosen = {int(g.abs().argmax())}
    chosen |= {int(n) for n in rng.integers(0, flat.numel(), entries - 1)}
    with torch.no_grad():
        for n in sorted(chosen):
            kept = flat[n].item()
            flat[n] = kept + step
            up = value().item()
            flat[n] = kept - step
            down = value().item()
            flat[n] = kept
            numeric = (up - down) / (2 * step)
            error = abs(numeric - g[n].item())
            assert error <= 1e-7 + 1e-5 * abs(numeric), (name, n, numeric, g[n].item())


def assert_close(a, b, what, tolerance=1e-12):
    error = (a - b).norm() / b.norm()
    assert error <= tolerance, (what, error.item())


# --- the tiny GPT ---------------------------------------------------------

VOCAB = 256
D_MODEL = 16
HEADS = 4
HEAD_DIM = D_MODEL // HEADS
LAYERS = 2
SEQ = 24
BATCH = 2
MLP_HIDDEN = 4 * D_MODEL
ROPE_THETA = 10000.0
NORM_EPS = 1e-5
STEPS = 10
ADAMW = dict(lr=1e-3, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
SGD_LR = 0.1


def gpt_shapes(kv_heads):
    """Parameter names and shapes, in the convention of torch.nn.Linear."""
    shapes = {"embed.weight": (VOCAB, D_MODEL)}
    for i in range(LAYERS):
        p = f"layers.{i}."
        shapes[p + "attn_norm.weight"] = (D_MODEL,)
        # Rows: all query heads, then all key heads, then all value heads.
        shapes[p + "attn.qkv.weight"] = ((HEADS + 2 * kv_heads) * HEAD_DIM, D_MODEL)
        shapes[p + "attn.out.weight"] = (D_MODEL, HEADS * HEAD_DIM)
        shapes[p + "mlp_norm.weight"] = (D_MODEL,)
        shapes[p + "mlp.up.weight"] = (MLP_HIDDEN, D_MODEL)
        shapes[p + "mlp.down.weight"] = (D_MODEL, MLP_HIDDEN)
    shapes["norm.weight"] = (D_MODEL,)
    shapes["head.weight"] = (VOCAB, D_MODEL)
    return shapes


def gpt_init(rng, kv_heads):
    """Weights large enough for attention to matter; norms near 1, not 1."""
    weights = {}
    for name, shape in gpt_shapes(kv_heads).items():
        if name.endswith("norm.weight"):
            weights[name] = random_normal(rng, shape, std=0.1, mean=1.0)
        else:
            weights[name] = random_normal(rng, shape, std=0.3)
    return weights


def rms_norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + NORM_EPS) * weight


def rope(x, positions, theta=ROPE_THETA):
    """Rotate [..., S, D]: entry n of the first half with entry n of the second."""
    dim = x.shape[-1]
    n = torch.arange(dim // 2, dtype=torch.float64)
    angle = positions.double()[:, None] * theta ** (-2.0 * n / dim)
    cos, sin = angle.cos(), angle.sin()
    first, second = x[..., : dim // 2], x[..., dim // 2 :]
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def gpt_logits(w, ids, kv_heads, use_rope=True, causal=True):
    batch, seq = ids.shape
    positions = torch.arange(seq) if use_rope else torch.zeros(seq)
    visible = visibility(seq) if causal else torch.ones(seq, seq, dtype=torch.bool)
    x = w["embed.weight"][ids]
    for i in range(LAYERS):
        p = f"layers.{i}."
        qkv = F.linear(rms_norm(x, w[p + "attn_norm.weight"]), w[p + "attn.qkv.weight"])
        sizes = [n * HEAD_DIM for n in (HEADS, kv_heads, kv_heads)]
        q, k, v = (
            part.view(batch, seq, -1, HEAD_DIM).transpose(1, 2)
            for part in qkv.split(sizes, dim=-1)
        )
        out = sdpa(rope(q, positions), rope(k, positions), v, visible)
        out = out.transpose(1, 2).reshape(batch, seq, HEADS * HEAD_DIM)
        x = x + F.linear(out, w[p + "attn.out.weight"])
        h = F.linear(rms_norm(x, w[p + "mlp_norm.weight"]), w[p + "mlp.up.weight"])
        x = x + F.linear(F.gelu(h, approximate="tanh"), w[p + "mlp.down.weight"])
    return F.linear(rms_norm(x, w["norm.weight"]), w["head.weight"])


def gpt_loss(logits, targets):
    """Sum over the valid targets, divided by their count in the whole batch."""
    total = F.cross_entropy(
        logits.reshape(-1, VOCAB),
        targets.reshape(-1),
        ignore_index=IGNORED,
        reduction="sum",
    )
    return total / (targets != IGNORED).sum()


def gpt_train(weights, ids, targets, kv_heads, make_optimizer):
    """Losses of STEPS steps on one batch, each taken before its update."""
    params = {name: t.clone().requires_grad_() for name, t in weights.items()}
    optimizer = make_optimizer(list(params.values()))
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = gpt_loss(gpt_logits(params, ids, kv_heads), targets)
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
    return losses


def write_gpt(out_dir, stem, kv_heads, seed):
    rng = np.random.Generator(np.random.PCG64(seed))
    weights = gpt_init(rng, kv_heads)
    ids = torch.from_numpy(rng.integers(0, VOCAB, (BATCH, SEQ), dtype=np.int64))
    targets = torch.full_like(ids, IGNORED)
    targets[:, :-1] = ids[:, 1:]
    targets[1, 5] = IGNORED
    targets[1, 16] = IGNORED

    params = {name: t.clone().requires_grad_() for name, t in weights.items()}
    logits = gpt_logits(params, ids, kv_heads)
    loss = gpt_loss(logits, targets)
    loss.backward()
    grads = {name: t.grad for name, t in params.items()}
    grad_norm = math.sqrt(sum(g.pow(2).sum().item() for g in grads.values()))

    losses = gpt_train(
        weights, ids, targets, kv_heads, lambda p: torch.optim.AdamW(p, **ADAMW)
    )
    sgd_losses = gpt_train(
        weights, ids, targets, kv_heads, lambda p: torch.optim.SGD(p, lr=SGD_LR)
    )

    # Checks on the reference itself.
    scratch = {name: t.clone() for name, t in weights.items()}
    for name in scratch:
        assert_finite_difference(
            lambda: gpt_loss(gpt_logits(scratch, ids, kv_heads), targets),
            scratch[name],
            grads[name],
            rng,
            name,
        )
    # Rotary positions and the causal mask must change the loss visibly.
    with torch.no_grad():
        for option in ({"use_rope": False}, {"causal": False}):
            other = gpt_loss(gpt_logits(weights, ids, kv_heads, **option), targets)
            assert abs(other.item() - loss.item()) > 1e-3, option
    assert losses[0] == loss.item() == sgd_losses[0]
    assert losses[-1] < losses[0] and sgd_losses[-1] < sgd_losses[0]

    tensors = {"ids": ids, "targets": targets, "logits": logits.detach().float()}
    for name in weights:
        tensors["weight." + name] = weights[name].float()
        tensors["grad." + name] = grads[name].float()
    info = {
        "config": {
            "vocab": VOCAB,
            "d_model": D_MODEL,
            "heads": HEADS,
            "kv_heads": kv_heads,
            "head_dim": HEAD_DIM,
            "layers": LAYERS,
            "mlp_hidden": MLP_HIDDEN,
            "seq": SEQ,
            "batch": BATCH,
            "rope_theta": ROPE_THETA,
            "norm_eps": NORM_EPS,
        },
        "loss": loss.item(),
        "valid_tokens": int((targets != IGNORED).sum()),
        "grad_norm": grad_norm,
        "adamw": {
            "lr": ADAMW["lr"],
            "beta1": ADAMW["betas"][0],
            "beta2": ADAMW["betas"][1],
            "eps": ADAMW["eps"],
            "weight_decay": ADAMW["weight_decay"],
        },
        "losses": losses,
        "sgd": {"lr": SGD_LR},
        "sgd_losses": sgd_losses,
    }
    write(out_dir, stem, tensors, info)


# --- attention alone ------------------------------------------------------

# A document list applies to every sequence of the batch. The sequences of 48
# divide evenly for 1, 2, 3, 4 and 8 ranks in every layout, zigzag included.
CASES = {
    "mha": dict(batch=2, seq=24, heads=4, kv_heads=4, head_dim=4),
    "gqa": dict(batch=2, seq=24, heads=4, kv_heads=2, head_dim=4),
    "mqa": dict(batch=2, seq=24, heads=4, kv_heads=1, head_dim=4),
    "documents": dict(
        batch=1, seq=24, heads=4, kv_heads=4, head_dim=8, documents=[5, 8, 11]
    ),
    "window": dict(batch=1, seq=24, heads=4, kv_heads=4, head_dim=8, window=6),
    "gqa_documents_window": dict(
        batch=2, seq=48, heads=4, kv_heads=2, head_dim=4, documents=[7, 1, 22, 18], window=6
    ),
    "heads_equal_seq": dict(batch=2, seq=8, heads=8, kv_heads=4, head_dim=6),
    "gqa_long": dict(batch=1, seq=48, heads=8, kv_heads=2, head_dim=4),
}


def masked_scores(q, k, visible):
    """Scaled scores for every query head, -inf where not visible."""
    k = k.repeat_interleave(q.shape[1] // k.shape[1], dim=1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return scores.masked_fill(~visible, -math.inf)


def assert_formulas(t, visible):
    """The written backward formulas agree with PyTorch's automatic gradient."""
    q, k, v, dout = t["q"], t["k"], t["v"], t["dout"]
    batch, kv_heads, seq, dim = k.shape
    group = q.shape[1] // kv_heads
    scale = 1.0 / math.sqrt(dim)
    kx, vx = (x.repeat_interleave(group, dim=1) for x in (k, v))
    p = (masked_scores(q, k, visible) - t["lse"][..., None]).exp()
    delta = (dout * t["out"]).sum(-1, keepdim=True)
    ds = p * (dout @ vx.transpose(-1, -2) - delta)

    def shared(x):
        """Sum over the query heads that share one key/value head."""
        return x.view(batch, kv_heads, group, seq, dim).sum(2)

    assert_close(p @ vx, t["out"], "out")
    assert_close(ds @ kx * scale, t["dq"], "dq")
    assert_close(shared(ds.transpose(-1, -2) @ q) * scale, t["dk"], "dk")
    assert_close(shared(p.transpose(-1, -2) @ dout), t["dv"], "dv")


def attention_case(rng, batch, seq, heads, kv_heads, head_dim, documents=None, window=None):
    visible = visibility(seq, documents, window)
    q = random_normal(rng, (batch, heads, seq, head_dim), std=1.5)
    k = random_normal(rng, (batch, kv_heads, seq, head_dim), std=1.5)
    v = random_normal(rng, (batch, kv_heads, seq, head_dim))
    dout = random_normal(rng, (batch, heads, seq, head_dim))

    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    out = sdpa(*leaves, visible)
    out.backward(dout)
    dq, dk, dv = (x.grad for x in leaves)
    lse = torch.logsumexp(masked_scores(q, k, visible), dim=-1)
    t = dict(
        q=q, k=k, v=v, dout=dout, out=out.detach(), lse=lse, dq=dq, dk=dk, dv=dv
    )

    assert_formulas(t, visible)
    scratch = [x.clone() for x in (q, k, v)]
    for x, grad, name in zip(scratch, (dq, dk, dv), "qkv"):
        assert_finite_difference(
            lambda: (sdpa(*scratch, visible) * dout).sum(), x, grad, rng, name
        )
    return t


def write_attention(out_dir, seed):
    rng = np.random.Generator(np.random.PCG64(seed))
    tensors, cases = {}, {}
    for case, config in CASES.items():
        for name, value in attention_case(rng, **config).items():
            tensors[f"{case}.{name}"] = value.float()
        cases[case] = {"documents": None, "window": None, **config}
    write(out_dir, "attention", tensors, {"cases": cases})


# --- common ---------------------------------------------------------------


def write(out_dir, stem, tensors, info):
    tensors = {name: t.contiguous() for name, t in tensors.items()}
    assert all(
        t.isfinite().all() for t in tensors.values() if t.is_floating_point()
    )
    save_file(tensors, str(out_dir / f"{stem}.safetensors"))
    text = json.dumps(info, indent=2, sort_keys=True)
    (out_dir / f"{stem}.json").write_text(text + "\n", newline="\n")
    print(f"{stem}: {len(tensors)} tensors")


def assert_small_examples():
    """Examples that can be followed by hand."""
    # q = k = (1, 0), theta 1, query at position 4 and key at position 3.
    x = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    q = rope(x, torch.tensor([4]), theta=1.0)
    k = rope(x, torch.tensor([3]), theta=1.0)
    assert abs((q @ k.T).item() - math.cos(1.0)) < 1e-12
    # A window of 2 in documents of 2 and 2 tokens.
    seen = visibility(4, documents=[2, 2], window=2).int().tolist()
    assert seen == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
    # The norm used here is PyTorch's.
    x = torch.linspace(-1, 2, 12, dtype=torch.float64).view(3, 4)
    w = torch.tensor([0.9, 1.0, 1.1, 1.2], dtype=torch.float64)
    assert_close(rms_norm(x, w), F.rms_norm(x, (4,), w, NORM_EPS), "rms_norm")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent)
    out_dir = parser.parse_args().out
    out_dir.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    assert_small_examples()
    write_gpt(out_dir, "gpt", kv_heads=4, seed=1)
    write_gpt(out_dir, "gpt_gqa", kv_heads=2, seed=2)
    write_attention(out_dir, seed=3)


if __name__ == "__main__":
    main()
