import { describe, expect, test } from 'vitest';
import { UnprocessableError } from '../../errors.js';
import { loadContract } from './contract.js';

const contract = loadContract();

describe('the refusal of a request', () => {
  test('tells the first twenty faults, and how many there are', () => {
    const body = { content: 'a', ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, 1])) };

    const { message, extra } = refusal(body);

    expect(message).toBe('f0 is not a known field (and 29 more)');
    expect(extra.details).toHaveLength(20);
  });

  test('cuts names that the caller made up', () => {
    const { message, extra } = refusal({ content: 'a', ['x'.repeat(10_000)]: 1 });

    expect(message.length).toBeLessThan(200);
    expect(JSON.stringify(extra).length).toBeLessThan(300);
  });

  test('tells what a choice would have taken, once', () => {
    const operation = contract.operations.find(({ id }) => id === 'updateMemory');
    const check = () =>
      contract.checkRequest(operation!, { path: { id: 'x' }, query: {}, body: { metadataReplace: 1 } });

    expect(caught(check).extra.details).toEqual([
      { path: '', message: 'must have at least one of content, metadata, subjectKey' },
      {
        path: 'metadataReplace',
        message: 'must be a boolean or must be a string or must be one of "true", "false", "1", "0"',
      },
    ]);
  });
});

function refusal(body: unknown): UnprocessableError {
  const operation = contract.operations.find(({ id }) => id === 'ingestMemory');
  return caught(() => contract.checkRequest(operation!, { path: {}, query: {}, body }));
}

function caught(check: () => void): UnprocessableError {
  try {
    check();
  } catch (error) {
    if (error instanceof UnprocessableError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
