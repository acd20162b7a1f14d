import type { ErrorObject, ValidateFunction } from 'ajv';
import { expect } from 'vitest';
import { type ApiDocument, createAjv, type DocumentResponse } from '../../contract-compiler/api-document.js';
import type { Contract, Operation } from '../../http/contract/contract.js';
import { parseTarget } from '../../http/request/address/request-target.js';
import { type ErrorBody, ErrorExamples } from './error-examples.js';
import type { Answer } from './http-client.js';

const REQUEST_ID = /^[\w-]{1,64}$/;

/** Headers that the document lists for a status, though some answers with that status lack them. */
const SOMETIMES = ['x-next-cursor'];

/** A 503 may be answered before the rate limit counts the request. */
const COUNTED = ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining'];

/** An exhausted monthly cap sends no Retry-After: nobody should wait for a month. */
const WAITING = ['retry-after'];

/** Fails the test if the document does not describe an answer to the request. */
export class Documented {
  // Each compiles a schema once. The library behind `ApiDocument` would compile it anew for every status and operation.
  private readonly bodies = createAjv({ strict: false, allErrors: true });
  // Values of headers are always text.
  private readonly headers = createAjv({ strict: false, allErrors: true, coerceTypes: true });
  private readonly errorExamples: ErrorExamples;

  constructor(
    private readonly contract: Contract,
    private readonly api: ApiDocument,
  ) {
    this.errorExamples = new ErrorExamples(contract);
  }

  check(method: string, target: string, answer: Answer): void {
    this.checkEnvelope(answer);
    const operation = this.findOperation(method, target);
    if (operation === 404 || operation === 405) {
      expect(answer.status, `${method} ${target}`).toBe(operation);
      const headers = operation === 405 ? ['allow'] : [];
      expect(Object.keys(answer.headers)).toEqual(expect.arrayContaining(headers));
      expect(answer.headers['cache-control']).toBe('no-store');
      return;
    }
    const described = this.api.operations.find(({ operationId }) => operationId === operation.id);
    const response = described?.responses[answer.status];
    expect(response, `${operation.id} has no ${answer.status}: ${answer.text.slice(0, 300)}`).toBeDefined();
    this.checkHeaders(operation, answer, response ?? {});
    if (!response?.headers?.['Cache-Control']) expect(answer.headers['cache-control']).toBe('no-store');
    if (method === 'HEAD') expect(answer.text).toBe('');
    else this.checkBody(operation, answer, response ?? {});
  }

  /** Matches by the rules of OpenAPI, independently of the service's router: literal segments precede parameters. */
  private findOperation(method: string, target: string): Operation | 404 | 405 {
    const { path } = parseTarget(target);
    const { operations } = this.contract;
    const template = operations.find((each) => each.path === path) ?? operations.find((each) => fits(each.path, path));
    if (!template || !isEncoded(path)) return 404;
    const sought = method === 'HEAD' ? 'GET' : method;
    return operations.find((each) => each.path === template.path && each.method === sought) ?? 405;
  }

  private checkEnvelope({ headers }: Answer): void {
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(REQUEST_ID),
      'x-service-version': this.contract.version,
      'x-content-type-options': 'nosniff',
    });
  }

  private checkHeaders(operation: Operation, answer: Answer, response: DocumentResponse): void {
    const optional = [...SOMETIMES, ...(answer.status === 503 ? COUNTED : []), ...(isOverQuota(answer) ? WAITING : [])];
    const required = Object.keys(response.headers ?? {})
      .map((name) => name.toLowerCase())
      .filter((name) => !optional.includes(name));
    expect(Object.keys(answer.headers), `${operation.id} ${answer.status}`).toEqual(expect.arrayContaining(required));
    // The document describes one Set-Cookie header, but Node returns a list.
    const headers: Record<string, unknown> = {
      ...answer.headers,
      'set-cookie': answer.headers['set-cookie']?.join(', '),
    };
    const faults = Object.entries(response.headers ?? {}).flatMap(([name, { schema }]) => {
      const value = headers[name.toLowerCase()];
      return value === undefined || !schema ? [] : faultsOf(this.headers.compile(schema), value);
    });
    expect(faults, `headers of ${operation.id} ${answer.status}`).toEqual([]);
  }

  private checkBody(operation: Operation, { status, headers, text }: Answer, response: DocumentResponse): void {
    const mediaTypes = operation.mediaTypes.get(status) ?? [undefined];
    const mediaType = headers['content-type'];
    expect(mediaTypes).toContain(mediaType);
    if (mediaType === undefined) expect(text).toBe('');
    if (mediaType === 'application/x-ndjson') {
      const lines = text.split('\n').slice(0, -1);
      const isLine = this.bodies.compile(response.content?.[mediaType]?.['x-line-schema'] ?? {});
      const broken = lines.filter((line) => !isLine(JSON.parse(line)));
      expect(text === '' || text.endsWith('\n')).toBe(true);
      expect(broken).toEqual([]);
    }
    if (mediaType === 'application/json') {
      const schema = response.content?.[mediaType]?.schema;
      expect(schema, `schema of ${operation.id} ${status}`).toBeDefined();
      expect(
        faultsOf(this.bodies.compile(schema ?? {}), JSON.parse(text)),
        `body of ${operation.id} ${status}: ${text.slice(0, 300)}`,
      ).toEqual([]);
      if (status >= 400) this.checkError(operation, status, text);
    }
  }

  /** The document shows the text of every error, except those that name a field. */
  private checkError({ id }: Operation, status: number, text: string): void {
    const isShown = this.errorExamples.shows(id, status, JSON.parse(text) as ErrorBody);
    expect(isShown, `openapi.yaml must show the text of this ${status} of ${id}: ${text.slice(0, 300)}`).toBe(true);
  }
}

function faultsOf(validate: ValidateFunction, value: unknown): ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Reports if a path matches a template. A parameter in braces matches any segment that is not empty. */
function fits(template: string, path: string): boolean {
  const segments = path.split('/');
  const expected = template.split('/');
  return (
    expected.length === segments.length &&
    expected.every((each, at) => (each.startsWith('{') ? segments[at] !== '' : each === segments[at]))
  );
}

function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function isOverQuota({ body }: Answer): boolean {
  return body.code === 'quota_exceeded';
}
