import { expect } from 'vitest';
import type { Answer } from '../transport/answer.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Fails unless the answer is this rejection, with this code if one is given. */
export function expectRefusal(answer: Answer, status: number, code?: string): void {
  expect(answer.status, answer.text.slice(0, 300)).toBe(status);
  if (code !== undefined) expect(answer.body.code).toBe(code);
}

/** Fails unless a write was accepted, with this status and outcome. */
export function expectOutcome(answer: Answer, status: number, outcome: string): void {
  expect(answer.status, answer.text.slice(0, 300)).toBe(status);
  expect(answer.body.outcome).toBe(outcome);
}

export function expectUuid(value: unknown): void {
  expect(value).toMatch(UUID);
}

export function expectTimestamp(value: unknown): void {
  expect(value).toMatch(ISO_8601);
  expect(Number.isNaN(Date.parse(String(value)))).toBe(false);
}

/** Fails when anything in the answer looks like a vector: a list of eight numbers or more. */
export function expectNoVector(value: unknown): void {
  expect(findVector(value), 'a list of numbers that looks like a vector').toBeUndefined();
}

function findVector(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && value.length >= 8 && value.every((item) => typeof item === 'number')) return value;
  return Object.values(value)
    .map(findVector)
    .find((found) => found !== undefined);
}
