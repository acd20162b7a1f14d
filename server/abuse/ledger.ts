/** What one writer was told, to be compared with what a server has after it was killed. */
export class Ledger {
  /** What went wrong beside what is missing. */
  readonly faults: string[] = [];
  private readonly contents = new Map<string, string>();
  /** Deletions that were sent, and whether they were acknowledged. */
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
   * Compares what was acknowledged with contents by id. A deletion without an answer may have taken place or not.
   *
   * @returns what is lost, changed, or came back
   */
  compare(stored: ReadonlyMap<string, string>): string[] {
    const faults = [...this.faults];
    for (const [id, content] of this.contents) {
      const deletion = this.deletions.get(id);
      const found = stored.get(id);
      if (deletion === undefined && found === undefined) faults.push(`${id} is lost`);
      if (deletion === true && found !== undefined) faults.push(`${id} was deleted and came back`);
      if (found !== undefined && found !== content) faults.push(`${id} has another content`);
    }
    const contents = [...stored.values()];
    if (new Set(contents).size < contents.length) faults.push('a memory is stored twice');
    return faults;
  }
}
