import type { Connection } from '../connection.js';

/** Each text has one of these numbers of parameters, so that few texts are prepared. The last is the maximum. */
const NUMBERS = [4, 16, 32, 64, 256] as const;
const MOST = NUMBERS[NUMBERS.length - 1] as number;

/**
 * A statement that reads the rows with some integer keys. Each key is a parameter: for a few keys, `json_each` takes as
 * long as reading the rows.
 */
export class KeyedStatement<Row> {
  readonly #textOf: (keys: string) => string;
  readonly #texts = new Map<number, string>();

  /** @param textOf returns the statement. Its argument is a table to read from, whose column `column1` has the keys or NULL */
  constructor(textOf: (keys: string) => string) {
    this.#textOf = textOf;
  }

  /** Returns the rows in the order that the engine chooses. */
  all(connection: Connection, keys: readonly number[]): Row[] {
    if (keys.length <= MOST) return this.#some(connection, keys);
    const rows: Row[] = [];
    for (let at = 0; at < keys.length; at += MOST) {
      for (const row of this.#some(connection, keys.slice(at, at + MOST))) rows.push(row);
    }
    return rows;
  }

  #some(connection: Connection, keys: readonly number[]): Row[] {
    if (keys.length === 0) return [];
    const number = NUMBERS.find((most) => keys.length <= most) ?? MOST;
    const parameters: (number | null)[] = [...keys];
    while (parameters.length < number) parameters.push(null);
    return connection.all<Row>(this.#text(number), ...parameters);
  }

  #text(number: number): string {
    let text = this.#texts.get(number);
    if (text === undefined) {
      text = this.#textOf(`(VALUES ${Array(number).fill('(?)').join(', ')})`);
      this.#texts.set(number, text);
    }
    return text;
  }
}
