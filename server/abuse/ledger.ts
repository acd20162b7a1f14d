/** Records what the server acknowledged to one writer, for comparison with its data after a kill. */
export class Ledger {
  /** Faults other than missing memories. */
  readonly faults: string[] = [];
  private readonly contents = new Map<string, string>();
  /** Deletions that were sent: true if they were acknowledged. */
  private readonly deletions = new Map<string, boolean>();
  private count = 0;

  get written(): number {
    return this.contents.size;
  }

  get deleted(): number {
    return [...this.deletions.values()].filter((isAcknowledged) => isAcknowledged).length;
  }

  nextContent(): string {
    this.count += 1;
    return `memory ${this.count} that a killed server must have`;
  }

  wrote(id: string, content: string): void {
    this.contents.set(id, content);
  }

  deletes(id: string): void {
    this.deletions.set(id, false);
  }

  isDeleted(id: string): void {
    this.deletions.set(id, true);
  }

  /**
   * Compares what was acknowledged with contents by id. A deletion without an answer may or may not have happened.
   *
   * @returns what is lost, changed, or still there after its deletion
   */
  compare(stored: ReadonlyMap<string, string>): string[] {
    const faults = [...this.faults];
    for (const [id, content] of this.contents) {
      const deletion = this.deletions.get(id);
      const found = stored.get(id);
      if (deletion === undefined && found === undefined) faults.push(`${id} is lost`);
      if (deletion === true && found !== undefined) faults.push(`${id} was deleted and is still there`);
      if (found !== undefined && found !== content) faults.push(`${id} has another content`);
    }
    const contents = [...stored.values()];
    if (new Set(contents).size < contents.length) faults.push('a memory is stored twice');
    return faults;
  }
}
