import { AsyncLocalStorage } from 'node:async_hooks';
import type { Answer, MemoryRecord } from '../transport/answer.js';
import type { ToolAnswer, ToolCall } from '../transport/tool-client.js';

const MEMORIES = '/api/memories';

/** The metadata key under which every memory of a run has the id of the run. */
export const TAG = 'conformance';

/** A memory to delete, with the token of its organization if that is not the usual one. */
export interface Left {
  readonly id: string;
  readonly token: string | undefined;
}

/** The memories that the answers report as created and not as deleted. */
export class Written {
  private readonly tokens = new Map<string, string | undefined>();

  constructor(private readonly runId: string) {}

  get left(): Left[] {
    return Array.from(this.tokens, ([id, token]) => ({ id, token }));
  }

  /** Adds the memory in the answer to a write, or those in the results of a batch. */
  note({ results, ...record }: Record<string, unknown>, token?: string): void {
    const entries = (Array.isArray(results) ? results : [record]) as Partial<MemoryRecord>[];
    for (const { id, outcome, metadata } of entries) {
      // A faulty deployment may report another memory as new: only memories with the tag belong to the run.
      if (id !== undefined && outcome === 'created' && metadata?.[TAG] === this.runId) this.tokens.set(id, token);
    }
  }

  /** Adds a memory of the run that does not have its tag. */
  add(id: string): void {
    this.tokens.set(id, undefined);
  }

  /** Removes a memory that was deleted. */
  forget(id: string): void {
    this.tokens.delete(id);
  }
}

/** The memories by the check that wrote them, so that they can be deleted when the check ends. */
export class WrittenMemories {
  /** The memories that several checks share. */
  readonly shared: Written;
  private readonly current = new AsyncLocalStorage<Written>();

  constructor(private readonly runId: string) {
    this.shared = new Written(runId);
  }

  /** The record of the current writes. */
  get open(): Written {
    return this.current.getStore() ?? this.shared;
  }

  /** Notes what a request wrote or deleted. */
  noteRequest(method: string, path: string, { status, body }: Answer, token: string | undefined): void {
    if (!path.startsWith(MEMORIES) || method === 'GET') return;
    if (method === 'DELETE' && status === 204) this.open.forget(path.slice(MEMORIES.length + 1));
    else if (status === 200 && path.endsWith('/restore')) this.open.add(String(body.id));
    else if (status < 300) this.open.note(body, token);
  }

  /** Notes what a tool wrote or deleted. */
  noteTool({ name, given }: ToolCall, { isError, data }: ToolAnswer, token: string | undefined): void {
    if (isError) return;
    if (name === 'memory_delete') this.open.forget(String(given.id));
    else this.open.note(data, token);
  }

  /** Runs some work, then passes the memories that it left to `handOn`, also if it failed. */
  async record(work: () => Promise<void>, handOn: (written: Written) => void): Promise<void> {
    const written = new Written(this.runId);
    try {
      await this.current.run(written, work);
    } finally {
      handOn(written);
    }
  }

  /** Does some work on which others build too: what it writes stays until the end. */
  async share<T>(work: () => Promise<T>): Promise<T> {
    return this.current.run(this.shared, work);
  }
}
