/** A body of one JSON value per line. */
export class JsonLines {
  constructor(readonly values: readonly object[]) {}
}
