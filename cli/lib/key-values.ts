import { EXIT } from '../exit-codes.js';
import { CommandError } from './explain-error.js';

type Scalar = string | number | boolean | null;

/**
 * Reads `--metadata` values: `key=text`, or `key:=json` for anything that is
 * not a text, or a whole JSON object. Later ones win.
 *
 * @throws {CommandError} for what is neither
 */
export function parseMetadata(values: readonly string[] = []): Record<string, unknown> | undefined {
  if (values.length === 0) return undefined;
  return Object.assign({}, ...values.map((value) => (value.startsWith('{') ? parseObject(value) : parsePair(value))));
}

/** Reads `--match` values: `key=text` or `key:=json`, where the JSON is no object or list. @throws {CommandError} */
export function parseMatch(values: readonly string[] = []): Record<string, Scalar> | undefined {
  if (values.length === 0) return undefined;
  const match: Record<string, unknown> = Object.assign({}, ...values.map(parsePair));
  const nested = Object.entries(match).find(([, value]) => typeof value === 'object' && value !== null);
  if (nested) throw fault(`${nested[0]} is compared with a text, a number, true, false or null`);
  return match as Record<string, Scalar>;
}

/** @throws {CommandError} */
export function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault('expected a JSON object');
  return value as Record<string, unknown>;
}

function parsePair(text: string): Record<string, unknown> {
  const [, key, operator, value = ''] = /^([^=]+?)(:?=)(.*)$/s.exec(text) ?? [];
  if (key === undefined) throw fault(`${JSON.stringify(text)} is not key=text or key:=json`);
  return { [key]: operator === ':=' ? parseJson(value) : value };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fault(`${JSON.stringify(text)} is not JSON`);
  }
}

function fault(message: string): CommandError {
  return new CommandError(message, { exit: EXIT.usage });
}
