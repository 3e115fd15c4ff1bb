//! A tensor's elements, from wasm memory to an `ArrayBuffer` and back: one copy each way.
//!
//! A view of wasm memory is never handed out: posted, it would carry the whole memory along.

use candle_core::{CpuStorage, DType, Device, Error, Shape, Storage, Tensor};
use js_sys::{ArrayBuffer, BigInt64Array, Float32Array, Float64Array, Uint8Array, Uint32Array};

use crate::Result;

/// The elements in row-major order, in a buffer of their own.
pub(super) fn copy_out(tensor: &Tensor) -> Result<ArrayBuffer> {
    let tensor = tensor.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cpu(storage) = &*storage else {
        return Err(Error::Msg("a worker's tensors live on the CPU".to_owned()).bt().into());
    };
    let range = layout.start_offset()..layout.start_offset() + layout.shape().elem_count();
    Ok(match storage {
        CpuStorage::F32(all) => Float32Array::new_from_slice(&all[range]).buffer(),
        CpuStorage::F64(all) => Float64Array::new_from_slice(&all[range]).buffer(),
        CpuStorage::I64(all) => BigInt64Array::new_from_slice(&all[range]).buffer(),
        CpuStorage::U32(all) => Uint32Array::new_from_slice(&all[range]).buffer(),
        CpuStorage::U8(all) => Uint8Array::new_from_slice(&all[range]).buffer(),
        _ => return Err(unsupported(tensor.dtype(), "isend")),
    })
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
