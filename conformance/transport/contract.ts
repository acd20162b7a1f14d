import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { Answer } from './answer.js';
import {
  type DefaultLimits,
  type Described,
  type DescribedOperation,
  type Document,
  limitOf,
  type ReturnLimit,
} from './document.js';
import { lookUp, toPointer } from './json-pointer.js';
import { packageRoot } from './package-root.js';

/** An operation of the contract. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
  readonly rateLimitClass: string | undefined;
  /** The abilities that a token needs; undefined if no token is required. */
  readonly abilities: readonly string[] | undefined;
  /** True if only a session may call it, and no token. */
  readonly sessionOnly: boolean;
  /** True if its requests have a JSON body, except signed webhooks. */
  readonly takesJson: boolean;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
/** Headers that not every answer of their status has. */
const SOMETIMES = ['x-next-cursor', 'retry-after', 'set-cookie'];
/** A 503 may come before the limit was counted. */
const COUNTED = ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining'];

/** The openapi.yaml that this suite is shipped with, and whether an answer is one that it has. */
export class Contract {
  readonly version: string;
  readonly operations: readonly Operation[];
  readonly defaultLimits: DefaultLimits;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, coerceTypes: false });
  private readonly headerAjv = new Ajv2020({ strict: false, validateSchema: false, coerceTypes: true });
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly patterns: readonly { operation: Operation; pattern: RegExp }[];

  constructor(private readonly document: Document) {
    for (const ajv of [this.ajv, this.headerAjv]) {
      addFormats.default(ajv);
      ajv.addSchema(document, 'contract');
    }
    this.version = document.info.version;
    this.defaultLimits = document['x-default-limits'];
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const described = item[method];
        return described ? [this.toOperation(method.toUpperCase(), path, described)] : [];
      }),
    );
    this.patterns = this.operations
      .map((operation) => ({ operation, pattern: toPattern(operation.path) }))
      // A path without parameters goes before one that would match it too.
      .sort((one, other) => one.operation.path.split('{').length - other.operation.path.split('{').length);
  }

  static load(): Contract {
    return new Contract(parse(readFileSync(join(packageRoot(), 'generated/openapi.yaml'), 'utf8')) as Document);
  }

  /** Returns the operation of a request; undefined if the contract does not have the path or method. */
  find(method: string, path: string): Operation | undefined {
    return this.patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation;
  }

  /** The bounds of `limit`, a query parameter of the operation or a member of its body. */
  limitOf(operationId: string): ReturnLimit {
    const operation = this.operations.find((known) => known.operationId === operationId);
    const limit = operation && limitOf(this.document, operation.method, operation.path);
    if (limit) return limit;
    throw new Error(`${operationId} has no limit in the contract`);
  }

  /** Returns the deviations of an answer from the contract. */
  faults({ method, path, operationId }: Operation, answer: Answer, withHeaders: boolean): string[] {
    const pointer = `#/paths/${toPointer(path)}/${method.toLowerCase()}/responses/${answer.status}`;
    const response = this.resolve(pointer);
    if (!response) return [`${operationId} has no status ${answer.status}: ${answer.text.slice(0, 200)}`];
    const faults = this.bodyFaults(response, answer);
    return withHeaders ? [...faults, ...this.headerFaults(response, answer)] : faults;
  }

  private bodyFaults({ at, described }: Resolved, answer: Answer): string[] {
    const mediaTypes = Object.keys(described.content ?? {});
    if (mediaTypes.length === 0) return answer.text === '' ? [] : ['the body must be empty'];
    const sent = answer.headers.get('content-type')?.split(';')[0]?.trim();
    const mediaType = mediaTypes.find((each) => each.split(';')[0] === sent);
    if (mediaType === undefined) return [`the content type must be ${mediaTypes.join(' or ')}, not ${sent}`];
    if (mediaType === 'application/x-ndjson') return this.lineFaults(`${at}/content/${toPointer(mediaType)}`, answer);
    if (mediaType !== 'application/json') return [];
    const validate = this.compile(this.ajv, `${at}/content/${toPointer(mediaType)}/schema`);
    const value = tryParse(answer.text);
    if (value === undefined) return ['the body is not JSON'];
    return validate(value) ? [] : describeErrors(validate);
  }

  private lineFaults(at: string, answer: Answer): string[] {
    const validate = this.compile(this.ajv, `${at}/x-line-schema`);
    return answer.text
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line, index) => {
        const value = tryParse(line);
        if (value === undefined) return [`line ${index + 1} is not JSON`];
        return validate(value) ? [] : describeErrors(validate).map((fault) => `line ${index + 1}: ${fault}`);
      });
  }

  private headerFaults({ at, described }: Resolved, { status, headers }: Answer): string[] {
    const optional = status === 503 ? [...SOMETIMES, ...COUNTED] : SOMETIMES;
    return Object.entries(described.headers ?? {}).flatMap(([name, header]) => {
      const value = headers.get(name);
      if (value === null) return optional.includes(name.toLowerCase()) ? [] : [`the header ${name} is missing`];
      const pointer = header.$ref ?? `${at}/headers/${toPointer(name)}`;
      const validate = this.compile(this.headerAjv, `${pointer}/schema`);
      return validate(value) ? [] : [`the header ${name} ${describeErrors(validate).join(', ')}`];
    });
  }

  private compile(ajv: Ajv2020, pointer: string): ValidateFunction {
    const known = this.compiled.get(pointer);
    if (known) return known;
    const validate = ajv.compile({ $ref: `contract${pointer}` });
    this.compiled.set(pointer, validate);
    return validate;
  }

  private toOperation(method: string, path: string, described: DescribedOperation): Operation {
    const { operationId, responses, security = [], requestBody } = described;
    const body = requestBody?.$ref === undefined ? requestBody : this.resolve(requestBody.$ref)?.described;
    return {
      operationId,
      method,
      path,
      statuses: Object.keys(responses).map(Number),
      rateLimitClass: described['x-rate-limit-class'],
      abilities: security.find(({ bearer }) => bearer !== undefined)?.bearer,
      sessionOnly: security.length > 0 && security.every(({ session }) => session !== undefined),
      takesJson: body?.content?.['application/json'] !== undefined && described['x-raw-body'] !== true,
    };
  }

  private resolve(pointer: string): Resolved | undefined {
    const described = lookUp(this.document, pointer) as Described | undefined;
    if (!described) return undefined;
    return described.$ref === undefined ? { at: pointer, described } : this.resolve(described.$ref);
  }
}

interface Resolved {
  /** Its position in the document, as a JSON pointer. */
  at: string;
  described: Described;
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`);
}

function describeErrors({ errors }: ValidateFunction): string[] {
  return (errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath || 'the value'} ${message}`);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
