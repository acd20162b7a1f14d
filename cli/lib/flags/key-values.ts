import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';

type Scalar = string | number | boolean | null;

/**
 * Parses `--metadata` values: `key=text`, `key:=json` for values that are not strings, or a JSON object. Later values win.
 *
 * @throws {CommandError} if a value has none of these forms
 */
export function parseMetadata(values: readonly string[] = []): Record<string, unknown> | undefined {
  if (values.length === 0) return undefined;
  return Object.assign({}, ...values.map((value) => (value.startsWith('{') ? parseObject(value) : parsePair(value))));
}

/** Parses `--match` values: `key=text` or `key:=json`, without objects and lists. @throws {CommandError} */
export function parseMatch(values: readonly string[] = []): Record<string, Scalar> | undefined {
  if (values.length === 0) return undefined;
  const match: Record<string, unknown> = Object.assign({}, ...values.map(parsePair));
  const nested = Object.entries(match).find(([, value]) => typeof value === 'object' && value !== null);
  if (nested) throw fault(`--match ${nested[0]} must be a string, a number, true, false or null`);
  return match as Record<string, Scalar>;
}

/**
 * @param start the start of an error message
 * @throws {CommandError}
 */
export function parseObject(text: string, start = ''): Record<string, unknown> {
  const value = parseJson(text, start);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fault(`${start}${JSON.stringify(text)} is not a JSON object`);
  }
  return value as Record<string, unknown>;
}

function parsePair(text: string): Record<string, unknown> {
  const [, key, operator, value = ''] = /^([^=]+?)(:?=)(.*)$/s.exec(text) ?? [];
  if (key === undefined) throw fault(`${JSON.stringify(text)} must be key=text or key:=json`);
  return { [key]: operator === ':=' ? parseJson(value) : value };
}

function parseJson(text: string, start = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fault(`${start}${JSON.stringify(text)} is not JSON`);
  }
}

function fault(message: string): CommandError {
  return new CommandError(message, { exit: EXIT.usage });
}
