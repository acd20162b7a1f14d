import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import type { LinesQuery, MemoryLines } from '../../../../ports/memory-reader.js';
import type { Connection } from '../../engine/connection.js';
import { LineReads, type LinesOrder } from './line-reads.js';
import { PagesAhead } from './pages-ahead.js';

const FIRST: LinesQuery = { filter: NO_FILTER, includeDeleted: false, order: 'oldest', limit: 100, maxBytes: 1_000 };
const SECOND: LinesQuery = { ...FIRST, after: { at: 1, id: '1' } };
const THIRD: LinesQuery = { ...FIRST, after: { at: 2, id: '2' } };
const ORG = 7;

describe('line reads', () => {
  test('read the next page ahead if a client continues its list', async () => {
    const { reads, thread } = lineReads();

    await reads.read(ORG, FIRST);
    await reads.read(ORG, SECOND);
    await reads.read(ORG, THIRD);

    expect(thread.positions).toEqual([0, 1, 2, 3]);
  });

  test('read nothing ahead while others wait for the thread, after the last page, or in another order', async () => {
    const { reads, thread } = lineReads();

    thread.isIdle = false;
    await reads.read(ORG, SECOND);
    thread.isIdle = true;
    thread.hasMore = false;
    await reads.read(ORG, SECOND);
    thread.hasMore = true;
    await reads.read(ORG, { ...SECOND, order: 'changed' });

    expect(thread.positions).toEqual([1, 1, 1]);
  });

  test('read a page again if it could not be read ahead', async () => {
    const { reads, thread } = lineReads();
    thread.failing = 2;
    await reads.read(ORG, SECOND);
    thread.failing = undefined;

    await reads.read(ORG, THIRD);

    expect(thread.positions).toEqual([1, 2, 2, 3]);
  });

  test('release a page that was read ahead if its client has left', async () => {
    const { reads, ahead } = lineReads();
    let released = 0;
    const release = () => {
      released += 1;
    };
    const page = { lines: new Uint8Array(), hasMore: false, release };
    ahead.add(ORG, THIRD, Promise.resolve(page));

    const read = reads.read(ORG, THIRD, AbortSignal.abort(new Error('gone')));

    await expect(read).rejects.toThrow('gone');
    expect(released).toBe(1);
  });

  test('use the buffer of a page again after its release, and not before', async () => {
    const { reads, thread } = lineReads();
    thread.hasMore = false;

    const first = await reads.read(ORG, FIRST);
    await reads.read(ORG, FIRST);
    first.release?.();
    first.release?.();
    await reads.read(ORG, FIRST);
    await reads.read(ORG, FIRST);

    const [one, two, three, four] = thread.buffers;
    expect([one === two, one === three, three === four]).toEqual([false, true, false]);
  });
});

/** A thread whose n-th page ends with a memory of time n. */
class PagesThread {
  isIdle = true;
  hasMore = true;
  /** Position of the page that fails. */
  failing: number | undefined;
  readonly positions: number[] = [];
  readonly buffers: (SharedArrayBuffer | undefined)[] = [];

  async ask({ query, into }: LinesOrder): Promise<MemoryLines> {
    const at = query.after?.at ?? 0;
    this.positions.push(at);
    this.buffers.push(into);
    if (at === this.failing) throw new Error('no page');
    const last = { id: String(at + 1), createdAt: at + 1, updatedAt: at + 1 };
    return { lines: into ? new Uint8Array(into, 0, 1) : new Uint8Array(1), hasMore: this.hasMore, last };
  }
}

function lineReads() {
  const thread = new PagesThread();
  const ahead = new PagesAhead();
  const unread = {} as Connection;
  return { reads: new LineReads(unread, thread, ahead), thread, ahead };
}
