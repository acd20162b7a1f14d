import type { SqlValue } from '../connection.js';

/** A piece of SQL with the values of its question marks. */
export interface Sql {
  text: string;
  parameters: SqlValue[];
}

/** Returns a condition of a WHERE clause. */
export function condition(text: string, ...parameters: SqlValue[]): Sql {
  return { text, parameters };
}

/** Joins `conditions` with AND. */
export function allOf(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return condition('TRUE');
  return {
    text: conditions.map(({ text }) => text).join(' AND '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}
