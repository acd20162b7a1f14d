/** Returns an object with some methods replaced; the others are those of the target. */
export function replaceMethods<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (name in replaced) return replaced[name as keyof T];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
