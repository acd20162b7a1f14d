import type { Memory, MemoryClient } from '@memory-service/sdk';

/** The folder that the model sees. */
export const ROOT = '/memories';

const KIND = 'file';

export interface MemoryFile {
  path: string;
  text: string;
  id: string;
}

/** The files of one person. Each file is a memory whose external key is its path. */
export class MemoryFiles {
  readonly #client: ReturnType<MemoryClient['forSubject']>;

  /** @param client `memory.forSubject(userId)`, so that nobody sees the files of others */
  constructor(client: ReturnType<MemoryClient['forSubject']>) {
    this.#client = client;
  }

  async find(path: string): Promise<MemoryFile | undefined> {
    const { results } = await this.#client.recent({ limit: 1, filter: { kind: KIND, match: { externalKey: path } } });
    return results[0] && toFile(results[0]);
  }

  /** Returns the files in a folder and in the folders below, in the order of their paths. */
  async below(folder: string): Promise<MemoryFile[]> {
    const files: MemoryFile[] = [];
    for await (const memory of this.#client.export({ filter: { kind: KIND } })) files.push(toFile(memory));
    return files.filter(({ path }) => path.startsWith(`${folder}/`)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Creates or replaces a file. */
  async write(path: string, text: string): Promise<void> {
    const isBlank = text.trim() === '';
    await this.#client.upsert({
      externalKey: path,
      // A memory needs content.
      content: isBlank ? path : text,
      metadata: { kind: KIND, blank: isBlank ? text : null },
      dedupe: 'off', // two files may have the same text
      restoreDeleted: true, // a file that was deleted may be created again
    });
  }

  async remove({ id }: MemoryFile): Promise<void> {
    await this.#client.delete(id);
  }
}

function toFile({ id, externalKey = '', content, metadata: { blank } }: Memory): MemoryFile {
  return { id, path: externalKey, text: typeof blank === 'string' ? blank : content };
}
