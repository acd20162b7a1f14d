import type { Store } from '../../ports/store.js';
import type { Tracing } from '../../ports/tracing.js';

/** Members of a store that have methods themselves. */
type Part = {
  [Key in keyof Store & string]-?: Store[Key] extends object
    ? Store[Key] extends (...given: never[]) => unknown
      ? never
      : Key
    : never;
}[keyof Store & string];

const PARTS: Readonly<Record<Part, true>> = {
  memories: true,
  documents: true,
  versions: true,
  erasures: true,
  deletions: true,
  accounts: true,
  usage: true,
  audit: true,
  subscriptions: true,
  inbound: true,
  outbound: true,
  canary: true,
};

/** Returns a store with a span for each call, named by its method. */
export function tracedStore<Given extends Store>(store: Given, tracing: Tracing): Given {
  const names = Object.keys(PARTS) as Part[];
  const parts = new Map<PropertyKey, object>(names.map((part) => [part, tracedCalls(store[part], part, tracing)]));
  return tracedCalls(store, 'store', tracing, parts);
}

function tracedCalls<Part extends object>(
  target: Part,
  name: string,
  tracing: Tracing,
  parts: ReadonlyMap<PropertyKey, object> = new Map(),
): Part {
  return new Proxy(target, {
    get(_, key) {
      // The target as the receiver lets its methods use private fields.
      const value: unknown = parts.get(key) ?? Reflect.get(target, key, target);
      if (typeof value !== 'function' || typeof key !== 'string') return value;
      return (...given: unknown[]) =>
        tracedCall(tracing, `${name}.${key}`, () => Reflect.apply(value, target, given) as unknown);
    },
  });
}

/** Reports a call that returns a promise. A span that is not ended is not reported. */
function tracedCall(tracing: Tracing, name: string, call: () => unknown): unknown {
  const span = tracing.begin({ kind: 'store', name });
  const result = span.run(call);
  if (!(result instanceof Promise)) return result;
  return result.then(
    (value: unknown) => {
      span.end({});
      return value;
    },
    (error: unknown) => {
      span.end({ errorType: error instanceof Error ? error.name : typeof error });
      throw error;
    },
  );
}
