import { describe, expect, test } from 'vitest';
import { loadContract } from '../../http/contract/contract.js';
import { ErrorExamples, masked } from '../../testing/app/error-examples.js';
import { PROVOKED_ERRORS } from '../../testing/fixtures/provoked-errors.js';

const contract = await loadContract();
const examples = new ErrorExamples(contract);
const shown = examples.all();

test('every error in the document can be provoked here, and no other', () => {
  const names = new Set(shown.map(({ name }) => name));

  expect(new Set(Object.keys(PROVOKED_ERRORS))).toEqual(names);
});

describe.each(shown)('$response shows $name', ({ name, response, value }) => {
  test('as the service sends it', async () => {
    const giving = examples.operationsOf(response);
    const operations = contract.operations.filter(({ id }) => giving.includes(id));

    const { id, answer } = await PROVOKED_ERRORS[name]!(operations);

    expect(JSON.parse(masked(answer.text))).toEqual(JSON.parse(masked(JSON.stringify(value))));
    if (giving.length > 0) expect(examples.responseOf(id, answer.status)).toBe(response);
    else expect({ response, status: answer.status }).toEqual({ response: 'MethodNotAllowed', status: 405 });
  });
});
