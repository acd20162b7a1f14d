/** Returns a function that makes a value at its first call, and returns the same value at each call. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
