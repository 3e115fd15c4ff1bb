//! The numbers of a tensor, where they lie as f32 in the CPU's memory.

use std::cell::Cell;
use std::ops::Deref;

use candle_core::{
    CpuStorage, DType, Device, Error, InplaceOp1, Layout, Result, Shape, Storage, StorageRef,
    Tensor, bail,
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
pub(crate) fn change<R>(tensor: &Tensor, work: impl FnOnce(&mut [f32]) -> R) -> Result<R> {
    let change = Change { work: Cell::new(Some(work)), result: Cell::new(None) };
    tensor.inplace_op1(&change)?;
    change.result.take().ok_or_else(|| Error::Msg("the numbers were not reached".to_owned()))
}

/// Candle hands its operations out for reading; this one is done once.
struct Change<F, R> {
    work: Cell<Option<F>>,
    result: Cell<Option<R>>,
}

impl<R, F: FnOnce(&mut [f32]) -> R> InplaceOp1 for Change<F, R> {
    fn name(&self) -> &'static str {
        "change"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        match (storage, layout.contiguous_offsets()) {
            (CpuStorage::F32(values), Some((start, end))) => {
                self.result.set(self.work.take().map(|work| work(&mut values[start..end])));
                Ok(())
            }
            _ => bail!("expected contiguous f32, got {layout:?}"),
        }
    }
}
