import type { SqlValue } from './connection.js';

/** A piece of SQL and what its question marks stand for. */
export interface Sql {
  text: string;
  parameters: SqlValue[];
}

/** A condition of a WHERE clause. */
export function condition(text: string, ...parameters: SqlValue[]): Sql {
  return { text, parameters };
}

/** The condition that all of `conditions` hold. */
export function allOf(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return condition('TRUE');
  return {
    text: conditions.map(({ text }) => text).join(' AND '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}
