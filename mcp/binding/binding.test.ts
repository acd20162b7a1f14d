import { UnprocessableError } from '@memory-service/sdk';
import { describe, expect, test } from 'vitest';
import { bindInput } from './bind-input.js';
import { Binding, BindingError, isWithin, keyScope } from './binding.js';

const WRONG_TYPE = () =>
  Promise.reject(
    Object.assign(Object.create(UnprocessableError.prototype) as UnprocessableError, { code: 'subject_key_invalid' }),
  );

describe('a binding', () => {
  test.each([
    [{ subjectKey: '' }, 'subjectKey'],
    [{ subjectKey: '  ' }, 'subjectKey'],
    [{ subjectKey: 'x'.repeat(513) }, 'subjectKey'],
    [{ project: '' }, 'project'],
    [{ subjectKey: 'ana', project: 'x'.repeat(257) }, 'project'],
  ])('rejects %j, so that a mistake does not open all memories', (names, part) => {
    expect(() => new Binding(names)).toThrow(BindingError);
    expect(() => new Binding(names)).toThrow(part);
  });

  test('names the parts that are fixed', () => {
    expect(new Binding({ subjectKey: 'ana' }).fixed).toEqual(['subjectKey']);
    expect(new Binding({ subjectKey: 'ana', project: 'atlas' }).fixed).toEqual(['subjectKey', 'project']);
  });

  test('sends a key that looks like an integer as one after the string was rejected, and from then on', async () => {
    const binding = new Binding({ subjectKey: '17' });
    const sent: unknown[] = [];
    const send = ({ subjectKey }: { subjectKey?: unknown }) => {
      sent.push(subjectKey);
      return typeof subjectKey === 'string' ? WRONG_TYPE() : Promise.resolve('done');
    };

    expect([await binding.run(send), await binding.run(send)]).toEqual(['done', 'done']);
    expect(sent).toEqual(['17', 17, 17]);
  });

  test('keeps the string if the integer is rejected too', async () => {
    const binding = new Binding({ subjectKey: '17' });

    await expect(binding.run(WRONG_TYPE)).rejects.toBeInstanceOf(UnprocessableError);
    expect(await binding.run(async ({ subjectKey }) => subjectKey)).toBe('17');
  });

  test.each(['017', '1e3', '9007199254740993', 'ana'])('sends %s only as the string that it is', async (subjectKey) => {
    let calls = 0;
    const send = () => {
      calls += 1;
      return WRONG_TYPE();
    };

    await expect(new Binding({ subjectKey }).run(send)).rejects.toBeInstanceOf(UnprocessableError);
    expect(calls).toBe(1);
  });

  test('sends the integer at once if the type is known', async () => {
    const binding = new Binding({ subjectKey: '17' }, 'integer');

    expect(await binding.run(async ({ subjectKey }) => subjectKey)).toBe(17);
  });

  test('compares characters in the form in which the service stores them', async () => {
    const binding = new Binding({ subjectKey: 'Ame\u0301lie' });

    const bound = await binding.run(async (values) => values);

    expect(isWithin({ subjectKey: 'Am\u00e9lie', metadata: {} }, bound)).toBe(true);
  });
});

describe('a memory', () => {
  test.each([
    [{ subjectKey: 'ana', metadata: { project: 'atlas' } }, true],
    [{ subjectKey: 'ana', metadata: {} }, false],
    [{ subjectKey: 'ben', metadata: { project: 'atlas' } }, false],
    [{ metadata: { project: 'atlas' } }, false],
    [{ subjectKey: 'ana', metadata: { project: ['atlas'] } }, false],
    [{ subjectKey: 'ana' }, false],
  ])('%j is inside: %s', (memory, expected) => {
    expect(isWithin(memory, { subjectKey: 'ana', project: 'atlas' })).toBe(expected);
  });
});

describe('the scope of keys', () => {
  test('has the subject and the project, with a digest if the subject is long', () => {
    expect(keyScope({ subjectKey: 'ana', project: 'atlas' })).toEqual({ source: 'subject:ana', project: 'atlas' });
    expect(keyScope({ project: 'atlas' })).toEqual({ project: 'atlas' });
    expect(keyScope({ subjectKey: 'x'.repeat(300) }).source).toMatch(/^subject:sha256:[0-9a-f]{64}$/);
  });
});

describe('the arguments', () => {
  test('of a write keep what is free', () => {
    const input = { content: 'a', metadata: { kind: 'note' }, externalKey: 'k', scope: { source: 'wiki' } };

    expect(bindInput('memory', input, { project: 'atlas' })).toEqual({
      content: 'a',
      metadata: { kind: 'note', project: 'atlas' },
      externalKey: 'k',
      scope: { source: 'wiki', project: 'atlas' },
    });
    expect(bindInput('memory', { content: 'a', metadata: { project: 'x' } }, { subjectKey: 'ana' })).toEqual({
      content: 'a',
      subjectKey: 'ana',
      metadata: { project: 'x' },
    });
  });

  test('of a read get the filter in addition to their own', () => {
    expect(bindInput('filter', { filter: { kind: 'note' } }, { subjectKey: 17, project: 'atlas' })).toEqual({
      filter: { kind: 'note', subjectKey: 17, project: 'atlas' },
    });
    expect(bindInput('filter', { subjectKey: 'ana' }, { project: 'atlas' })).toEqual({
      subjectKey: 'ana',
      filter: { project: 'atlas' },
    });
  });

  test('of a change keep the subject if only the project is fixed', () => {
    expect(bindInput('change', { id: 'x', subjectKey: 'ana' }, { project: 'atlas' })).toEqual({
      id: 'x',
      subjectKey: 'ana',
    });
  });
});
