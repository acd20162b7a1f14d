import { useEffect, useState } from 'preact/hooks';

/** The condition that every page shows: writes need a subscription, or the service is busy. */
export type Condition = 'entitlement_required' | 'service_unavailable';

let current: Condition | undefined;
const listeners = new Set<(condition: Condition | undefined) => void>();

/** @param only changes nothing unless this is the present condition */
export function setCondition(condition: Condition | undefined, only?: Condition): void {
  if (current === condition || (only !== undefined && current !== only)) return;
  current = condition;
  for (const listener of listeners) listener(condition);
}

export function useCondition(): Condition | undefined {
  const [condition, change] = useState(current);
  useEffect(() => {
    listeners.add(change);
    return () => {
      listeners.delete(change);
    };
  }, []);
  return condition;
}
