import { describe, expect, test } from 'vitest';
import { isTooLarge } from './too-large.js';

/** Answers that providers gave. */
const TOO_LARGE: [string, number, unknown][] = [
  [
    'Voyage, of a batch',
    400,
    {
      detail:
        "Request to model 'voyage-3-large' failed. The max allowed tokens per submitted batch is 120000. Your batch has " +
        '124302 tokens after truncation. Please lower the number of tokens in the batch.',
    },
  ],
  [
    'OpenAI, of a request',
    400,
    {
      error: {
        message: 'Requested 416735 tokens, max 300000 tokens per request',
        type: 'max_tokens_per_request',
        param: null,
        code: 'max_tokens_per_request',
      },
    },
  ],
  [
    'OpenAI, of a text',
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens, however you requested 10396 tokens (10396 in your prompt; 0 " +
          'for the completion). Please reduce your prompt; or completion length.',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
  ],
  [
    'text-embeddings-inference, of a batch',
    422,
    { error: 'batch size 33 > maximum allowed batch size 32', error_type: 'Validation' },
  ],
  [
    'text-embeddings-inference, of a text',
    422,
    '{"error":"Input validation error: `inputs` must have less than 512 tokens. Given: 600","error_type":"Validation"}',
  ],
  ['Ollama, of a text', 400, { error: 'the input length exceeds the context length' }],
  ['a proxy', 413, ''],
];

test.each(TOO_LARGE)('a request is too large if so says %s', (_provider, status, body) => {
  expect(isTooLarge(status, body)).toBe(true);
});

describe('a request is not too large', () => {
  test.each<[string, number, unknown]>([
    ['if the model does not exist', 400, { detail: "Model 'voyage-9' is not supported." }],
    [
      'if the dimensions do not fit',
      400,
      { detail: "Value '3' supplied for argument 'output_dimension' is not valid." },
    ],
    ['if the key is refused', 401, { detail: 'Provided API key is invalid. Tokens are limited.' }],
    ['if the rate is exceeded', 429, { detail: 'You have exceeded your limit of tokens per minute.' }],
    ['without a body', 400, undefined],
    ['if a word far behind the explanation says so', 400, `${'x'.repeat(4_000)} too many tokens`],
  ])('%s', (_name, status, body) => {
    expect(isTooLarge(status, body)).toBe(false);
  });
});
