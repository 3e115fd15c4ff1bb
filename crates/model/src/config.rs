//! The model's sizes.

/// Sizes of a GPT: bytes in, RMSNorm, RoPE, causal attention, GELU MLP, untied head, no biases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GptConfig {
    /// V: distinct tokens.
    pub vocab: usize,
    /// d: width.
    pub d_model: usize,
    /// H: query heads.
    pub heads: usize,
    /// K: key/value heads; it divides `heads`.
    pub kv_heads: usize,
    /// Layers.
    pub layers: usize,
    /// Width of the MLP's hidden layer.
    pub mlp_hidden: usize,
    /// Base of RoPE's frequencies.
    pub rope_theta: f64,
    /// Added to the mean square in RMSNorm.
    pub norm_eps: f64,
}

impl GptConfig {
    /// A GPT of these sizes with the usual MLP of 4 d, theta 10 000 and epsilon 1e-5.
    pub fn new(vocab: usize, d_model: usize, heads: usize, kv_heads: usize, layers: usize) -> Self {
        Self {
            vocab,
            d_model,
            heads,
            kv_heads,
            layers,
            mlp_hidden: 4 * d_model,
            rope_theta: 10_000.0,
            norm_eps: 1e-5,
        }
    }

    /// D: size of a head.
    pub fn head_dim(&self) -> usize {
        self.d_model / self.heads
    }

    /// Rows of the fused projection: all query heads, then key heads, then value heads.
    pub fn qkv_rows(&self) -> usize {
        (self.heads + 2 * self.kv_heads) * self.head_dim()
    }

    /// Every parameter's name and shape, in the order of the flat gradient bucket.
    pub fn parameters(&self) -> Vec<(String, Vec<usize>)> {
        let d = self.d_model;
        let mut all = vec![("embed.weight".to_owned(), vec![self.vocab, d])];
        for i in 0..self.layers {
            let layer = [
                ("attn_norm.weight", vec![d]),
                ("attn.qkv.weight", vec![self.qkv_rows(), d]),
                ("attn.out.weight", vec![d, self.heads * self.head_dim()]),
                ("mlp_norm.weight", vec![d]),
                ("mlp.up.weight", vec![self.mlp_hidden, d]),
                ("mlp.down.weight", vec![d, self.mlp_hidden]),
            ];
            all.extend(layer.map(|(name, shape)| (format!("layers.{i}.{name}"), shape)));
        }
        all.push(("norm.weight".to_owned(), vec![d]));
        all.push(("head.weight".to_owned(), vec![self.vocab, d]));
        all
    }
}
