const listeners = new Set<() => void>();

/** Reports that the session has ended. */
export function reportSignedOut(): void {
  for (const listener of listeners) listener();
}

/** Calls `listener` when the session ends. Returns a function that stops it. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
