import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import type { Metadata } from '../../../../domain/memory/memory.js';
import { presentMemory } from '../../../../http/response/present.js';
import type { LinesQuery, MemoryLines } from '../../../../ports/memory-reader.js';
import { anOrganization, type Given, softDelete, store } from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import type { SqliteStore } from '../../sqlite-store.js';
import { openSqliteStore } from '../../store.js';

const PAGE: LinesQuery = { filter: NO_FILTER, includeDeleted: true, order: 'oldest', limit: 500, maxBytes: 2_097_152 };
/** Limits of a page that the main thread reads, and of one that the thread reads. */
const LIMITS = [40, 500];

/** The contract rejects texts with U+0000. */
const aText = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
const metadata = fc
  .dictionary(fc.oneof(aText, fc.constantFrom('__proto__', '1', 'toJSON')), fc.jsonValue())
  .filter((value) => !JSON.stringify(value).includes('\\u0000'));
const aTime = fc.integer({ min: -9_000_000_000_000_000, max: Number.MAX_SAFE_INTEGER });
const given: fc.Arbitrary<Given> = fc
  .record(
    {
      content: aText,
      metadata: metadata as fc.Arbitrary<Metadata>,
      subjectKey: fc.oneof(fc.maxSafeInteger(), aText),
      scope: fc.record({ source: aText, project: aText }),
      expiresAt: aTime,
      distinct: fc.constant(true as const),
    },
    { requiredKeys: [] },
  )
  .map(({ content = '', ...rest }) => ({ ...rest, content }));

const STRANGE: Given[] = [
  { content: '"quoted" \\ \b\f\n\r\t\u0001\u001f\u007f\u2028\u2029\ufeff\'</script>' },
  { content: '😀 é ' + '\u{10ffff}', metadata: { lone: '\ud800', '\udfff': 'x\udc00y' } },
  { metadata: { zero: -0, tiny: 5e-324, large: 1.7976931348623157e308, whole: 1e21, none: null, nested: [[{}], []] } },
  { subjectKey: -0 },
  { subjectKey: Number.MIN_SAFE_INTEGER },
  { subjectKey: '12' },
  { subjectKey: '' },
  { externalKey: 'key "1"\n' },
  { scope: { source: 'a"b', project: '' } },
  { scope: { source: '', project: 'ä' } },
  { scope: { source: 's', project: 'p' }, distinct: true, expiresAt: -1 },
];

describe('lines of memories', () => {
  test('are the serialized memories of a list, whatever these contain', async () => {
    const { opened } = await openStore();

    await fc.assert(
      fc.asyncProperty(fc.array(given, { maxLength: 12 }), async (memories) => {
        const organizationId = await anOrganization(opened);
        const distinct = memories.map((memory, n) => ({ ...memory, content: `${memory.content} ${n}` }));
        const [first] = await store(opened, organizationId, ...distinct);
        if (first) await softDelete(opened, first);

        await expectSame(opened, organizationId, PAGE);
      }),
      { numRuns: 60 },
    );
  });

  test('are equal for strange texts, numbers, keys and times', async () => {
    const { opened, organizationId } = await openStore();
    await store(opened, organizationId, ...STRANGE);

    await expectSame(opened, organizationId, PAGE);
  });

  test.each(['oldest', 'newest', 'changed', 'lastChanged'] as const)(
    'have the order %s and the filter',
    async (order) => {
      const { opened, organizationId } = await openStore();
      const kinds = Array.from({ length: 60 }, (_, n) => ({ metadata: { kind: n % 3 === 0 ? 'a' : 'b' } }));
      const [, deleted] = await store(opened, organizationId, ...kinds);
      await softDelete(opened, deleted!);

      for (const includeDeleted of [true, false, 'only'] as const) {
        for (const filter of [NO_FILTER, { metadata: [{ key: 'kind', anyOf: ['a'] }] }]) {
          await expectSame(opened, organizationId, { ...PAGE, order, includeDeleted, filter });
        }
      }
    },
  );

  test('end at the limit, or before the memory that exceeds the bytes, and report that more follow', async () => {
    const { opened, organizationId } = await openStore();
    const memories = await store(opened, organizationId, ...Array.from({ length: 80 }, () => ({ metadata: {} })));
    const large = await store(
      opened,
      organizationId,
      ...Array.from({ length: 4 }, (_, n) => ({ content: `${n}`.repeat(200_000) })),
    );
    const list = (query: Partial<LinesQuery>) => opened.memories.listLines(organizationId, { ...PAGE, ...query });

    expect(summaryOf(await list({ limit: 80 }))).toEqual([80, true, memories[79]!.id]);
    expect(summaryOf(await list({ limit: 84 }))).toEqual([84, false, large[3]!.id]);
    const after = { at: memories[79]!.createdAt, id: memories[79]!.id };
    for (const limit of LIMITS) {
      expect(summaryOf(await list({ limit, after, maxBytes: 500_000 }))).toEqual([2, true, large[1]!.id]);
      expect(summaryOf(await list({ limit, after, maxBytes: 1 }))).toEqual([1, true, large[0]!.id]);
    }
    const { release: _, ...empty } = await list({ limit: 84, since: 2 ** 52 });
    expect(empty).toEqual({ lines: new Uint8Array(), hasMore: false });
  });

  test('contain a memory that was stored just before', async () => {
    const { opened, organizationId } = await openStore();

    for (let count = 1; count <= 5; count += 1) {
      await store(opened, organizationId, {});
      expect(summaryOf(await opened.memories.listLines(organizationId, PAGE))[0]).toBe(count);
    }
  });

  test('contain what was written after the page before them, however fast their client is', async () => {
    const { opened, organizationId } = await openStore();
    const memories = await store(opened, organizationId, ...Array.from({ length: 400 }, () => ({})));
    const read = async (after: number) => {
      const { id, createdAt } = memories[after]!;
      const page = await opened.memories.listLines(organizationId, {
        ...PAGE,
        limit: 60,
        after: { id, at: createdAt },
      });
      const text = textOf(page);
      page.release?.();
      return text.split('\n').slice(0, -1);
    };

    for (let at = 0; at < 300; at += 60) {
      const last = (await read(at)).at(-1)!;
      expect(JSON.parse(last)).toMatchObject({ id: memories[at + 60]!.id });
      if (at % 120 === 0) await softDelete(opened, memories[at + 61]!);
      const [next] = await read(at + 60);
      expect(JSON.parse(next!).deletedAt !== undefined).toBe(at % 120 === 0);
    }
  });
});

/** Compares pages of lines, from the main thread and from the thread, with the serialized memories of a list. */
async function expectSame(opened: SqliteStore, organizationId: string, query: LinesQuery): Promise<void> {
  for (const limit of LIMITS) {
    const page = await opened.memories.listLines(organizationId, { ...query, limit });
    const memories = await opened.memories.list(organizationId, { ...query, limit, memoriesOnly: true });
    const expected = memories.map((memory) => `${JSON.stringify(presentMemory(memory, { metadataMirror: false }))}\n`);
    expect(textOf(page)).toBe(expected.join(''));
    const last = memories.at(-1);
    expect(page.last).toEqual(last && { id: last.id, createdAt: last.createdAt, updatedAt: last.updatedAt });
  }
}

function summaryOf(page: MemoryLines): [count: number, hasMore: boolean, last: string | undefined] {
  return [textOf(page).split('\n').length - 1, page.hasMore, page.last?.id];
}

function textOf({ lines }: MemoryLines): string {
  return Buffer.from(lines).toString();
}

async function openStore(): Promise<{ opened: SqliteStore; organizationId: string }> {
  const opened = await openSqliteStore({ dataDir: quickFolder() });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { opened, organizationId: await anOrganization(opened) };
}
