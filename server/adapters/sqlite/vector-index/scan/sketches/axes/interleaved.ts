/** Number of outputs that the kernel computes together. */
export const OUTPUTS_TOGETHER = 16;

/**
 * Returns the index of a number in a matrix as `multiply` of the kernel reads it: for each 16 outputs, their numbers for the
 * first two inputs, then those for the next two, and so on.
 *
 * @param inputs number of all inputs, even
 */
export function placeOf(output: number, input: number, inputs: number): number {
  const [group, lane] = [output >> 4, output & 15];
  return group * OUTPUTS_TOGETHER * inputs + (input >> 1) * 2 * OUTPUTS_TOGETHER + 2 * lane + (input & 1);
}
