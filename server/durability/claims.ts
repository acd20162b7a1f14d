/** Constants shared by the writer and the check. */

export const PERIOD = '2024-05';
export const BATCH_SIZE = 6;

/** A word that every content contains. */
export const WORD = 'durable';

/** Returns the only content that a version of a memory may have. A few contents are too long for one page. */
export function contentOf(id: string, version: number): string {
  const length = id.endsWith('7') ? 6_000 : 120;
  return `${WORD} ${id} ${version} `.padEnd(length, `${version} and on `);
}

/** Collects what the writer was told is durable, up to some moment. */
export class Claims {
  readonly organizations = new Set<string>();
  /** The last acknowledged version by id. */
  readonly memories = new Map<string, number>();

  add(line: string): void {
    const [kind, id = '', version = ''] = line.split(' ');
    if (kind === 'organization') this.organizations.add(id);
    else if (kind === 'memory') this.memories.set(id, Number(version));
    else throw new Error(`The writer printed a line that is not a claim: ${line}`);
  }
}
