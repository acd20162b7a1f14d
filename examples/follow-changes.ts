// Copies memories into another store and keeps the copy up to date, across restarts.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Change, type CursorStore, MemoryClient } from '@memory-service/sdk';

const client = new MemoryClient();
const project = 'copied';

/** Another store: a file with the copy and its cursor, written together. */
class CopyFile implements CursorStore {
  #copied: { cursor?: string; contents: Record<string, string> } = { contents: {} };

  constructor(private readonly path: string) {}

  get contents(): string[] {
    return Object.values(this.#copied.contents).sort();
  }

  async load(): Promise<string | undefined> {
    const text = await readFile(this.path, 'utf8').catch(() => undefined);
    if (text !== undefined) this.#copied = JSON.parse(text);
    return this.#copied.cursor;
  }

  async save(cursor: string): Promise<void> {
    this.#copied.cursor = cursor;
    await writeFile(`${this.path}.new`, JSON.stringify(this.#copied));
    await rename(`${this.path}.new`, this.path);
  }

  apply(change: Change): void {
    if (change.change === 'deleted') delete this.#copied.contents[change.id];
    else this.#copied.contents[change.id] = change.content;
  }
}

// #region follow
async function follow(copy: CopyFile, signal: AbortSignal): Promise<void> {
  const feed = client.follow(
    { filter: { project }, includeDeleted: true },
    { cursors: copy, pollIntervalMs: 1_000, signal },
  );
  for await (const change of feed) copy.apply(change);
}
// #endregion follow

/** Follows until the copy has these contents. */
async function followUntil(copy: CopyFile, contents: string[]): Promise<void> {
  const stop = new AbortController();
  const done = () => JSON.stringify(copy.contents) === JSON.stringify(contents.toSorted());
  const apply = copy.apply.bind(copy);
  copy.apply = (change) => {
    apply(change);
    if (done()) stop.abort();
  };
  await follow(copy, stop.signal);
}

const folder = await mkdtemp(join(tmpdir(), 'memory-example-'));
try {
  const path = join(folder, 'copy.json');
  const lights = await client.ingest({ content: 'The lights go out at eleven.', metadata: { project } });
  const gate = await client.ingest({ content: 'The gate needs a badge.', metadata: { project } });
  await followUntil(new CopyFile(path), [lights.content, gate.content]);

  await client.update(lights.id, { content: 'The lights go out at midnight.' });
  await client.delete(gate.id);
  const restarted = new CopyFile(path);
  await followUntil(restarted, ['The lights go out at midnight.']);

  assert.deepEqual(restarted.contents, ['The lights go out at midnight.']);
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log('the copy followed two changes after a restart');
