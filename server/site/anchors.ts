/** Creates the anchors of the headings of a page, as GitHub does: a repeated heading gets a number. */
export class Anchors {
  readonly #used = new Set<string>();

  next(heading: string): string {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    let unique = anchor;
    for (let count = 1; this.#used.has(unique); count += 1) unique = `${anchor}-${count}`;
    this.#used.add(unique);
    return unique;
  }
}
