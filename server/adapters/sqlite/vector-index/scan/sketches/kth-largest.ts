/** Returns the `k`-th largest value, or -Infinity if there are fewer. Reorders the values. */
export function kthLargest(values: Float32Array | Float64Array, k: number): number {
  if (k > values.length) return Number.NEGATIVE_INFINITY;
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const { left, right } = split(values, low, high);
    if (k - 1 <= right) high = right;
    else if (k - 1 >= left) low = left;
    else break;
  }
  return values[k - 1] as number;
}

/** Moves large values to the front. All up to `right` are at least as large as all from `left` on. */
function split(values: Float32Array | Float64Array, low: number, high: number): { left: number; right: number } {
  const pivot = values[(low + high) >> 1] as number;
  let [left, right] = [low, high];
  for (;;) {
    while ((values[left] as number) > pivot) left += 1;
    while ((values[right] as number) < pivot) right -= 1;
    if (left > right) return { left, right };
    const value = values[left] as number;
    values[left] = values[right] as number;
    values[right] = value;
    left += 1;
    right -= 1;
  }
}
