interface Preference<Value extends string> {
  values: readonly Value[];
  get(): Value;
  set(value: Value): void;
}

const PREFIX = 'memory-service.';

/**
 * A choice that this browser remembers. It holds nothing about the account.
 *
 * @param values all values; the first is the default
 */
export function preference<const Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): Preference<Value> {
  const key = `${PREFIX}${name}`;
  return {
    values,
    get() {
      const stored = read(key);
      return values.find((value) => value === stored) ?? values[0];
    },
    set(value) {
      write(key, value);
    },
  };
}

/** A browser may forbid storage, which then has nothing. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice then lasts until the page is reloaded.
  }
}
