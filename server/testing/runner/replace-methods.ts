/** An object with some of its methods replaced; the others are its own. */
export function replaceMethods<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (name in replaced) return replaced[name as keyof T];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
