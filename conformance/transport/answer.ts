/** A memory as an answer carries it; the contract was checked before. */
export interface MemoryRecord {
  id: string;
  content: string;
  metadata: Record<string, unknown>;
  externalKey?: string;
  scope?: { source?: string; project?: string };
  subjectKey?: string | number;
  createdAt: string;
  updatedAt: string;
  deletedAt?: string;
  outcome?: string;
  dedupe?: string;
  change?: string;
  score?: number;
  similarity?: number;
}

/** One answer of the deployment. */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  /** The text as a JSON object; empty where it is none. */
  get body(): Record<string, unknown> {
    const parsed = parse(this.text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  }

  /** The body as a memory. */
  get memory(): MemoryRecord {
    return this.body as unknown as MemoryRecord;
  }

  /** The memories of a listing, of a page of changes, of a search, or of the lines of an export. */
  get memories(): readonly MemoryRecord[] {
    if (this.headers.get('content-type')?.includes('ndjson')) {
      const lines = this.text.split('\n').filter((line) => line !== '');
      return lines.map((line) => parse(line) as MemoryRecord);
    }
    const { results, changes, memories } = this.body;
    const list = results ?? changes ?? memories;
    return Array.isArray(list) ? (list as MemoryRecord[]) : [];
  }

  /** Their ids, in the order of the answer. */
  get ids(): string[] {
    return this.memories.map(({ id }) => id);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
