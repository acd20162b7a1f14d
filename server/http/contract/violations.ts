import type { ErrorObject } from 'ajv';
import { ABILITIES } from '../../domain/account/role.js';
import { CURSOR_FORM } from '../../domain/cursor.js';
import { shortName } from '../../domain/invalid.js';
import { TIME_FORM } from '../../domain/timestamp.js';
import { type ErrorDetail, UnprocessableError } from '../../errors.js';

const MAX_DETAILS = 20;

/** Name of a field, or of the list that contains it → the rule of its pattern, in words. */
export const PATTERN_WORDS: Readonly<Record<string, string>> = {
  since: TIME_FORM,
  until: TIME_FORM,
  expiresAt: TIME_FORM,
  createdAt: TIME_FORM,
  updatedAt: TIME_FORM,
  deletedAt: TIME_FORM,
  replacedAt: TIME_FORM,
  id: 'must be a UUID in lower case',
  cursor: CURSOR_FORM,
  email: 'must be an e-mail address',
  name: 'must contain more than white space',
  secret: 'must be of printable ASCII without spaces',
  abilities: `must be among ${ABILITIES.join(', ')}`,
};

/**
 * Returns the 422 for the errors of a schema.
 *
 * @param errors all errors of one validation; a large body may have many
 * @param skip leading path segments that are not part of the request
 */
export function unprocessable(errors: readonly ErrorObject[], skip: number): UnprocessableError {
  const choices = new Set(
    errors.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/`),
  );
  const told = errors.filter((error) => !isPartOfAnother(error, choices));
  const details = told.slice(0, MAX_DETAILS).map((error) => toDetail(error, errors, skip));
  const [first] = details;
  if (!first) throw new Error('a schema rejected a value without an error');
  const rest = told.length > 1 ? ` (and ${told.length - 1} more)` : '';
  return new UnprocessableError(`${first.path || 'The request'} ${first.message}${rest}`, details);
}

/** Reports if another error covers this one: its `anyOf`, its rule for names, or the branch that an `if` chose. */
function isPartOfAnother({ keyword, schemaPath, propertyName }: ErrorObject, choices: ReadonlySet<string>): boolean {
  if (propertyName !== undefined && keyword !== 'propertyNames') return true;
  if (keyword === 'if') return true;
  for (const choice of choices) if (schemaPath.startsWith(choice)) return true;
  return false;
}

function toDetail(error: ErrorObject, errors: readonly ErrorObject[], skip: number): ErrorDetail {
  const { keyword, instancePath, params } = error;
  const segments = instancePath
    .split('/')
    .slice(1 + skip)
    .map(unescapeSegment);
  // A list of words is reported as a whole.
  if (keyword === 'pattern' && /^\d+$/.test(segments.at(-1) ?? '')) segments.pop();
  if (keyword === 'required') segments.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') segments.push(shortName(String(params.additionalProperty)));
  const path = segments.filter((segment) => segment !== '').join('.');
  return { path, message: keyword === 'anyOf' ? choiceMessage(error, errors) : toMessage(error) };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function toMessage({ keyword, instancePath, params, message = 'is not valid' }: ErrorObject): string {
  if (keyword === 'type')
    return `must be ${[params.type]
      .flat()
      .map((type) => TYPE_WORDS[type] ?? type)
      .join(' or ')}`;
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') {
    return instancePath === '/query' ? 'is not a parameter of this operation' : 'is not a known field';
  }
  if (keyword === 'enum') return `must be one of ${listed(params.allowedValues)}`;
  if (keyword === 'pattern') return patternWords(instancePath) ?? 'does not have the form that the contract describes';
  if (keyword === 'propertyNames') return 'must have keys of 1 to 256 characters';
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'uniqueItems') return 'must not contain a value twice';
  return sizeMessage(keyword, params.limit) ?? boundMessage(keyword, params.limit) ?? message;
}

const SIZE_WORDS: Readonly<Record<string, string>> = { Length: 'character', Items: 'item', Properties: 'key' };

/** Returns the message for a text, list or object of a wrong size; undefined for another keyword. */
function sizeMessage(keyword: string, limit: unknown): string | undefined {
  const [, end, unit] = /^(min|max)(Length|Items|Properties)$/.exec(keyword) ?? [];
  if (!end || !unit) return undefined;
  return `must have at ${end === 'min' ? 'least' : 'most'} ${limit} ${SIZE_WORDS[unit]}${limit === 1 ? '' : 's'}`;
}

const BOUND_WORDS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
};

/** Returns the message for a number that is too small or too large; undefined for another keyword. */
function boundMessage(keyword: string, limit: unknown): string | undefined {
  const words = BOUND_WORDS[keyword];
  return words && `must be ${words} ${limit}`;
}

function patternWords(instancePath: string): string | undefined {
  const name = instancePath.split('/').findLast((segment) => !/^\d+$/.test(segment));
  return name === undefined || !Object.hasOwn(PATTERN_WORDS, name) ? undefined : PATTERN_WORDS[name];
}

/** Returns what the choices of an `anyOf` would have accepted. */
function choiceMessage({ schemaPath, instancePath }: ErrorObject, errors: readonly ErrorObject[]): string {
  const choices = errors.filter(
    (error) => error.schemaPath.startsWith(`${schemaPath}/`) && error.instancePath.startsWith(instancePath),
  );
  if (choices.every(({ keyword }) => keyword === 'required')) return missingMessage(choices);
  const listing = new Set(choices.filter(({ keyword }) => keyword === 'enum').map(branchOf));
  // A list of values also says their type.
  const telling = choices.filter((error) => error.keyword !== 'type' || !listing.has(branchOf(error)));
  const [first = '', ...others] = new Set(telling.map(toMessage));
  return [first, ...others.map((other) => other.replace(/^must be /, ''))].join(' or ');
}

/** Returns the fields that the choices require. One choice may require several. */
function missingMessage(choices: readonly ErrorObject[]): string {
  const branches = Array.from(new Set(choices.map(branchOf)));
  const names = branches.map((branch) =>
    choices
      .flatMap((error) => (branchOf(error) === branch ? [String(error.params.missingProperty)] : []))
      .join(' and '),
  );
  return branches.length === choices.length
    ? `must have at least one of ${names.join(', ')}`
    : `must have ${names.join(', or ')}`;
}

/** Returns the path of the schema that contains the keyword of an error. */
function branchOf({ schemaPath }: ErrorObject): string {
  return schemaPath.slice(0, schemaPath.lastIndexOf('/'));
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : 'the documented values';
}

function unescapeSegment(segment: string): string {
  return shortName(segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
