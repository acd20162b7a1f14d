import type { BatchResponse } from '@memory-service/sdk';
import { describe, expect, test } from 'vitest';
import { type ImportOptions, importEntries, isSameStart } from './import-entries.js';
import type { Entry } from './source.js';
import type { ImportState } from './state.js';

async function* entries(count: number): AsyncGenerator<Entry> {
  for (let n = 0; n < count; n += 1) yield { at: `line ${n + 1}`, item: { content: `note ${n}` } };
}

function stored(count: number): BatchResponse {
  const results = Array.from({ length: count }, (_, index) => ({ index, outcome: 'created' }));
  return { results, summary: { ok: count, failed: 0 } } as unknown as BatchResponse;
}

function refusal(fields: Record<string, unknown>): Error {
  return Object.assign(new Error('refused'), fields);
}

/** Imports into a service whose responses `answer` returns or throws, batch by batch. */
function importing(answer: (items: readonly unknown[], call: number) => BatchResponse | Promise<BatchResponse>) {
  const sizes: number[] = [];
  const states: ImportState[] = [];
  const waits: number[] = [];
  const interrupt = new AbortController();
  const options: ImportOptions = {
    sender: {
      send: async (items) => {
        sizes.push(items.length);
        return (await answer(items, sizes.length)).results;
      },
    },
    files: {
      splits: async () => false,
      split: async () => ({ outcome: 'created' }),
      settle: async (_file, result) => result,
    },
    batchSize: 10,
    earlier: undefined,
    signal: interrupt.signal,
    onState: async (state) => {
      states.push(structuredClone(state));
    },
    onWait: (seconds) => {
      waits.push(seconds);
    },
  };
  return { options, sizes, states, waits, interrupt };
}

describe('importEntries', () => {
  test('sends batches of the given size, and reports the state after each', async () => {
    const { options, sizes, states } = importing((items) => stored(items.length));

    const state = await importEntries(entries(25), options);

    expect(sizes).toEqual([10, 10, 5]);
    expect(states.map(({ done }) => done)).toEqual([10, 20, 25]);
    expect(state.outcomes).toEqual({ created: 25 });
  });

  test('sends smaller batches if the service requires it', async () => {
    const { options, sizes } = importing((items) => {
      if (items.length > 4) throw refusal({ code: 'batch_too_large', max: 4 });
      return stored(items.length);
    });

    const state = await importEntries(entries(20), options);

    expect(state.done).toBe(20);
    expect(sizes).toEqual([10, 4, 4, 2, 4, 4, 2]);
  });

  test('waits if the rate limit is used up, and retries the same batch', async () => {
    const { options, sizes, waits } = importing((items, call) => {
      if (call === 2) throw refusal({ code: 'rate_limited', retryAfter: 0.01 });
      return stored(items.length);
    });

    const state = await importEntries(entries(20), options);

    expect(waits).toEqual([0.01]);
    expect(sizes).toEqual([10, 10, 10]);
    expect(state.outcomes).toEqual({ created: 20 });
  });

  test('stops when it is interrupted while it waits', async () => {
    const { options, interrupt } = importing((items, call) => {
      if (call === 2) throw refusal({ code: 'rate_limited', retryAfter: 3_600 });
      return stored(items.length);
    });
    options.onWait = () => interrupt.abort();

    const state = await importEntries(entries(20), options);

    expect(state.done).toBe(10);
  });

  test('stops at the monthly cap, and the state contains what was stored before', async () => {
    const { options, states } = importing((_, call) => {
      if (call === 1) return stored(10);
      const results = [
        { index: 0, outcome: 'created' },
        { index: 1, error: { code: 'quota_exceeded', message: 'cap' } },
      ];
      return { results, summary: { ok: 1, failed: 1 } } as unknown as BatchResponse;
    });

    await expect(importEntries(entries(12), options)).rejects.toMatchObject({ code: 'quota_exceeded' });

    expect(states.at(-1)).toMatchObject({ done: 11, outcomes: { created: 11 }, failures: [] });
  });

  test('throws other errors, and keeps the state before the batch', async () => {
    const { options, states } = importing((_, call) => {
      if (call === 2) throw refusal({ code: 'service_unavailable', retryAfter: 5 });
      return stored(10);
    });

    await expect(importEntries(entries(20), options)).rejects.toMatchObject({ code: 'service_unavailable' });

    expect(states.map(({ done }) => done)).toEqual([10]);
  });

  test('skips the entries that an earlier run processed', async () => {
    const first = importing((items) => stored(items.length));
    await importEntries(entries(10), first.options);
    const second = importing((items) => stored(items.length));
    const earlier = first.states.at(-1)!;

    const state = await importEntries(entries(25), { ...second.options, earlier });

    expect(second.sizes).toEqual([10, 5]);
    expect(state).toMatchObject({ done: 25, outcomes: { created: 25 } });
    expect(await isSameStart(entries(25), state)).toBe(true);
    expect(await isSameStart(entries(24), state)).toBe(false);
  });
});
