import { createRequire } from 'node:module';
import { _, type CodeKeywordDefinition, str } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { useFunc } from 'ajv/dist/compile/util.js';
import type Ucs2Length from 'ajv/dist/runtime/ucs2length.js';

// Tests and Node disagree on what the default of this module is.
const { default: ucs2length } = createRequire(import.meta.url)('ajv/dist/runtime/ucs2length') as typeof Ucs2Length;

/** A code point has one or two UTF-16 code units. */
const CODE_UNITS = 2;

/**
 * `minLength` and `maxLength`, which count code points. Ajv's own count the whole of a text, so "at least one character"
 * takes time in proportion to the content. These count only where the number of code units does not tell.
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
        ? _`${data}.length > ${limit} && (${data}.length > ${CODE_UNITS * limit} || ${count} > ${limit})`
        : _`${data}.length < ${CODE_UNITS * limit} && ${count} < ${limit}`,
    );
  },
};

/** Puts them in the place of Ajv's own. */
export function boundTextLengths(ajv: Ajv2020): void {
  ajv.removeKeyword('maxLength').removeKeyword('minLength').addKeyword(LENGTHS);
}
