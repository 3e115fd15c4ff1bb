//! The numbers of a tensor, where they lie as f32 in the CPU's memory.

use std::ops::Deref;

use candle_core::{
    CpuStorage, DType, Device, InplaceOp1, Layout, Result, Shape, Storage, StorageRef, Tensor, bail,
};

/// Whether the fused form serves `tensor`.
pub(crate) fn is_fused(tensor: &Tensor) -> bool {
    tensor.dtype() == DType::F32 && tensor.device().is_cpu()
}

/// The numbers of a contiguous tensor, held for reading.
pub(crate) struct Values<'a> {
    storage: StorageRef<'a>,
    start: usize,
    end: usize,
}

impl<'a> Values<'a> {
    /// Refuses what is not contiguous f32 on a CPU.
    pub(crate) fn of(tensor: &'a Tensor) -> Result<Self> {
        let (storage, layout) = tensor.storage_and_layout();
        let Some((start, end)) = layout.contiguous_offsets() else {
            bail!("expected a contiguous tensor, got {layout:?}");
        };
        check(&storage)?;
        Ok(Self { storage, start, end })
    }

    /// From the first number of `tensor` to the end of what it is a view of, and its strides.
    pub(crate) fn strided(tensor: &'a Tensor) -> Result<(Self, &'a [usize])> {
        let (storage, layout) = tensor.storage_and_layout();
        let end = check(&storage)?;
        Ok((Self { storage, start: layout.start_offset(), end }, layout.stride()))
    }
}

impl Deref for Values<'_> {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match &*self.storage {
            Storage::Cpu(CpuStorage::F32(values)) => &values[self.start..self.end],
            // It was checked when this was made, and the lock is held since.
            _ => &[],
        }
    }
}

fn check(storage: &Storage) -> Result<usize> {
    match storage {
        Storage::Cpu(CpuStorage::F32(values)) => Ok(values.len()),
        _ => bail!("expected f32 in the CPU's memory"),
    }
}

/// A tensor of new numbers.
pub(crate) fn tensor(values: Vec<f32>, shape: impl Into<Shape>) -> Result<Tensor> {
    Tensor::from_vec(values, shape, &Device::Cpu)
}

/// Changes the numbers of a contiguous tensor where they lie; every view of them sees it.
pub(crate) fn change(tensor: &Tensor, work: impl Fn(&mut [f32])) -> Result<()> {
    tensor.inplace_op1(&Change(work))
}

struct Change<F>(F);

impl<F: Fn(&mut [f32])> InplaceOp1 for Change<F> {
    fn name(&self) -> &'static str {
        "change"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        match (storage, layout.contiguous_offsets()) {
            (CpuStorage::F32(values), Some((start, end))) => {
                (self.0)(&mut values[start..end]);
                Ok(())
            }
            _ => bail!("expected contiguous f32, got {layout:?}"),
        }
    }
}
