/** What the writer and the check agree on. */

export const PERIOD = '2024-05';
export const BATCH_SIZE = 6;

/** A word that every content has. */
export const WORD = 'durable';

/** The only content that a version of a memory may have; a few are too long for one page. */
export function contentOf(id: string, version: number): string {
  const length = id.endsWith('7') ? 6_000 : 120;
  return `${WORD} ${id} ${version} `.padEnd(length, `${version} and on `);
}

/** What the writer was told to be durable, up to some moment. */
export class Claims {
  readonly organizations = new Set<string>();
  /** By id, the version that was acknowledged last. */
  readonly memories = new Map<string, number>();

  add(line: string): void {
    const [kind, id = '', version = ''] = line.split(' ');
    if (kind === 'organization') this.organizations.add(id);
    else if (kind === 'memory') this.memories.set(id, Number(version));
    else throw new Error(`The writer printed what is no claim: ${line}`);
  }
}
