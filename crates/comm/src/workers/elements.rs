//! A tensor's elements, from wasm memory to an `ArrayBuffer` and back: one copy each way.
//!
//! A view of wasm memory is never handed out: posted, it would carry the whole memory along.

use candle_core::{CpuStorage, DType, Device, Error, Shape, Storage, Tensor};
use js_sys::{ArrayBuffer, BigInt64Array, Float32Array, Float64Array, Uint8Array, Uint32Array};

use super::pool::Pool;
use crate::Result;

/// The elements in row-major order, in a buffer from `pool` that is nobody else's.
pub(super) fn copy_out(tensor: &Tensor, pool: &Pool) -> Result<ArrayBuffer> {
    let tensor = tensor.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cpu(storage) = &*storage else {
        return Err(Error::Msg("a worker's tensors live on the CPU".to_owned()).bt().into());
    };
    let elements = layout.shape().elem_count();
    let range = layout.start_offset()..layout.start_offset() + elements;
    let buffer = pool.take((elements * tensor.dtype().size_in_bytes()) as u32);
    match storage {
        CpuStorage::F32(all) => Float32Array::new(&buffer).copy_from(&all[range]),
        CpuStorage::F64(all) => Float64Array::new(&buffer).copy_from(&all[range]),
        CpuStorage::I64(all) => BigInt64Array::new(&buffer).copy_from(&all[range]),
        CpuStorage::U32(all) => Uint32Array::new(&buffer).copy_from(&all[range]),
        CpuStorage::U8(all) => Uint8Array::new(&buffer).copy_from(&all[range]),
        _ => return Err(unsupported(tensor.dtype(), "isend")),
    }
    Ok(buffer)
}

/// The tensor that `elements` hold; the header has already said that type and shape are right.
pub(super) fn copy_in(elements: &ArrayBuffer, dtype: DType, shape: &Shape) -> Result<Tensor> {
    let bytes = shape.elem_count() * dtype.size_in_bytes();
    if elements.byte_length() as usize != bytes {
        let text = format!("{} bytes came for {bytes}", elements.byte_length());
        return Err(Error::Msg(text).bt().into());
    }
    Ok(match dtype {
        DType::F32 => Tensor::from_vec(Float32Array::new(elements).to_vec(), shape, &Device::Cpu)?,
        DType::F64 => Tensor::from_vec(Float64Array::new(elements).to_vec(), shape, &Device::Cpu)?,
        DType::I64 => Tensor::from_vec(BigInt64Array::new(elements).to_vec(), shape, &Device::Cpu)?,
        DType::U32 => Tensor::from_vec(Uint32Array::new(elements).to_vec(), shape, &Device::Cpu)?,
        DType::U8 => Tensor::from_vec(Uint8Array::new(elements).to_vec(), shape, &Device::Cpu)?,
        _ => return Err(unsupported(dtype, "irecv")),
    })
}

fn unsupported(dtype: DType, op: &'static str) -> crate::CommError {
    Error::UnsupportedDTypeForOp(dtype, op).bt().into()
}
