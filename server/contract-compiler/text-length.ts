import { createRequire } from 'node:module';
import { _, type CodeKeywordDefinition, str } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { useFunc } from 'ajv/dist/compile/util.js';
import type Ucs2Length from 'ajv/dist/runtime/ucs2length.js';

// Vitest and Node disagree on the default export of this module.
const { default: ucs2length } = createRequire(import.meta.url)('ajv/dist/runtime/ucs2length') as typeof Ucs2Length;

/** Maximum UTF-16 code units of a code point. */
const MAX_CODE_UNITS = 2;

/**
 * `minLength` and `maxLength`, which count code points. Ajv's own always count the whole text, so "at least one
 * character" takes time in proportion to the content. These only count if the code units do not decide.
 */
const LENGTHS: CodeKeywordDefinition = {
  keyword: ['maxLength', 'minLength'],
  type: 'string',
  schemaType: 'number',
  error: {
    message: ({ keyword, schemaCode }) =>
      str`must NOT have ${keyword === 'maxLength' ? 'more' : 'fewer'} than ${schemaCode} characters`,
    params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
  },
  code(cxt) {
    const { keyword, data, gen } = cxt;
    const limit = cxt.schema as number;
    const count = _`${useFunc(gen, ucs2length)}(${data})`;
    cxt.fail(
      keyword === 'maxLength'
        ? _`${data}.length > ${limit} && (${data}.length > ${MAX_CODE_UNITS * limit} || ${count} > ${limit})`
        : _`${data}.length < ${MAX_CODE_UNITS * limit} && ${count} < ${limit}`,
    );
  },
};

/** Replaces Ajv's own keywords. */
export function boundTextLengths(ajv: Ajv2020): void {
  ajv.removeKeyword('maxLength').removeKeyword('minLength').addKeyword(LENGTHS);
}
