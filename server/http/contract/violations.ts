import type { ErrorObject } from 'ajv';
import { shortName } from '../../domain/invalid.js';
import { type ErrorDetail, UnprocessableError } from '../../errors.js';

const MAX_DETAILS = 20;

/**
 * What a schema refuses, as the 422 that tells it.
 *
 * @param errors of one validation, every one collected; a large body may have many
 * @param skip leading path segments that are not the caller's
 * @param at path of the value that was validated
 */
export function unprocessable(errors: readonly ErrorObject[], skip: number, at = ''): UnprocessableError {
  const choices = new Set(
    errors.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/`),
  );
  const told = errors.filter((error) => !isPartOfAnother(error, choices));
  const details = told.slice(0, MAX_DETAILS).map((error) => toDetail(error, errors, skip, at));
  const [first] = details;
  if (!first) throw new Error('a schema refused a value without saying why');
  const rest = told.length > 1 ? ` (and ${told.length - 1} more)` : '';
  return new UnprocessableError(`${first.path || 'The request'} ${first.message}${rest}`, details);
}

/** Whether an error is about one choice of an `anyOf` or one rule for names, and so told with the whole. */
function isPartOfAnother({ keyword, schemaPath, propertyName }: ErrorObject, choices: ReadonlySet<string>): boolean {
  if (propertyName !== undefined && keyword !== 'propertyNames') return true;
  for (const choice of choices) if (schemaPath.startsWith(choice)) return true;
  return false;
}

function toDetail(error: ErrorObject, errors: readonly ErrorObject[], skip: number, at: string): ErrorDetail {
  const { keyword, instancePath, params } = error;
  const segments = instancePath
    .split('/')
    .slice(1 + skip)
    .map(unescapeSegment);
  if (keyword === 'required') segments.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') segments.push(shortName(String(params.additionalProperty)));
  const path = [at, ...segments].filter((segment) => segment !== '').join('.');
  return { path, message: keyword === 'anyOf' ? choiceMessage(error, errors) : toMessage(error) };
}

function toMessage({ keyword, instancePath, params, message = 'is not valid' }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') {
    return instancePath === '/query' ? 'is not a parameter of this operation' : 'is not a known field';
  }
  if (keyword === 'enum') return `must be one of ${listed(params.allowedValues)}`;
  if (keyword === 'propertyNames') return 'must have keys of 1 to 256 characters';
  return message
    .replace(/^must be (?=object$|array$|integer$)/, 'must be an ')
    .replace(/^must be (?=string$|number$|boolean$)/, 'must be a ')
    .replace('NOT have fewer than', 'have at least')
    .replace('NOT have more than', 'have at most');
}

/** What the choices of an `anyOf` would have taken. */
function choiceMessage({ schemaPath, instancePath }: ErrorObject, errors: readonly ErrorObject[]): string {
  const choices = errors.filter(
    (error) => error.schemaPath.startsWith(`${schemaPath}/`) && error.instancePath.startsWith(instancePath),
  );
  const missing = choices.filter(({ keyword }) => keyword === 'required');
  if (missing.length === choices.length) {
    return `must have at least one of ${missing.map(({ params }) => String(params.missingProperty)).join(', ')}`;
  }
  return Array.from(new Set(choices.map(toMessage))).join(' or ');
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : 'the documented values';
}

function unescapeSegment(segment: string): string {
  return shortName(segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
