import { loadContract } from '../http/contract/contract.js';
import type { Answer } from '../testing/app/http-client.js';

/** Statuses without a body, which the contract lists without a media type. */
const BODILESS = [204, 304, 404, 405];
const TOOLS = '/mcp';

const { operations } = loadContract();

/** Returns how an answer breaks the contract; undefined if it does not. */
export function contractFault(method: string, target: string, answer: Answer): string | undefined {
  const { status, headers, body, text } = answer;
  const path = target.split('?', 1)[0] ?? '';
  const shown = `${method} ${path.slice(0, 80)}: ${status} ${text.slice(0, 200)}`;
  if (status >= 500 && status !== 503) return shown;
  if (status === 503 && headers['retry-after'] === undefined && !isReadiness(path)) return `${shown}, no Retry-After`;
  if (path === TOOLS || method === 'HEAD') return undefined;
  if (status >= 400 && !isReadiness(path) && !isText(body.error)) return `${shown}, no error`;
  const operation = operationOf(method, path);
  if (!operation || BODILESS.includes(status)) return undefined;
  return operation.mediaTypes.has(status) ? undefined : `${shown}, a status that ${operation.id} does not document`;
}

/** Returns the operation of a path. Literal segments precede parameters. */
function operationOf(method: string, path: string) {
  const ofMethod = operations.filter((each) => each.method === method);
  return ofMethod.find((each) => each.path === path) ?? ofMethod.find((each) => fits(each.path, path));
}

function fits(template: string, path: string): boolean {
  const segments = path.split('/');
  const expected = template.split('/');
  return (
    expected.length === segments.length &&
    expected.every((each, at) => (each.startsWith('{') ? segments[at] !== '' : each === segments[at]))
  );
}

/** Readiness reports with a 503 the parts that do not work. */
function isReadiness(path: string): boolean {
  return path === '/health/ready';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
