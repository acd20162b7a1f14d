import type { Canary } from '../../../ports/store.js';
import type { Connection } from './connection.js';

/** Stores the canary in the row that holds the identity of the database. */
export class SqliteCanary implements Canary {
  readonly #reader: Connection;
  readonly #writing: Connection;
  readonly #transact: (work: () => Promise<unknown>) => Promise<unknown>;

  constructor(reader: Connection, writing: Connection, transact: (work: () => Promise<unknown>) => Promise<unknown>) {
    this.#reader = reader;
    this.#writing = writing;
    this.#transact = transact;
  }

  async read(): Promise<string | undefined> {
    return readCanary(this.#reader);
  }

  async replace(former: string | undefined, next: string): Promise<boolean> {
    let changes = 0;
    await this.#transact(async () => {
      ({ changes } = this.#writing.run('UPDATE identity SET canary = ? WHERE canary IS ?', next, former ?? null));
    });
    return changes === 1;
  }
}

export function readCanary(reader: Connection): string | undefined {
  return reader.get<{ canary: string | null }>('SELECT canary FROM identity')?.canary ?? undefined;
}
