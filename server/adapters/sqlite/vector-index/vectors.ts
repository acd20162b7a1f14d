/** Returns the stored bytes of a vector: float32, little-endian, which is the memory layout of every supported platform. */
export function toBlob(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function fromBlob(blob: Uint8Array): Float32Array {
  const isAligned = blob.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const bytes = isAligned ? blob : blob.slice();
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
}

/** Returns the cosine of two vectors of unit length. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  // Initialized by one destructuring, each sum would be a new object after each addition.
  let even = 0;
  let odd = 0;
  const pairs = a.length - (a.length % 2);
  for (let index = 0; index < pairs; index += 2) {
    even += (a[index] as number) * (b[index] as number);
    odd += (a[index + 1] as number) * (b[index + 1] as number);
  }
  if (pairs < a.length) odd += (a[pairs] as number) * (b[pairs] as number);
  return even + odd;
}
