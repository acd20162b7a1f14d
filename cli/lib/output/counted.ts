/** Returns a number with its noun, such as `1 memory` or `3 memories`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
