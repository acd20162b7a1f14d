import type { Contract } from '../../http/contract/contract.js';

interface Reference {
  $ref: string;
}

interface DescribedError {
  content: { 'application/json': { examples: Record<string, Reference> } };
}

interface Document {
  paths: Record<string, Record<string, { operationId?: string; responses?: Record<string, Reference> }>>;
  components: {
    responses: Record<string, DescribedError>;
    examples: Record<string, { value: ErrorBody }>;
  };
}

export interface ErrorBody {
  error: string;
  code?: string;
}

/** An error example of an answer in `components.responses` of openapi.yaml. */
export interface ErrorExample {
  name: string;
  /** The name of the answer in `components.responses`. */
  response: string;
  value: ErrorBody;
}

/** Codes whose texts name a field or list matches. Their examples show one of many texts. */
const OPEN_CODES = ['validation_failed', 'subject_key_invalid', 'content_rejected'];

const MASKS: readonly [RegExp, string][] = [
  [/(?:The service|Your \w+|Callers without a credential) already ha(?:s|ve) [^":]+(?=: try again)/g, '<share in use>'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>'],
  [/\b(?:memory:(?:ingest|search|admin)|settings:admin)|\*(?= to a token)/g, '<ability>'],
];

/** Replaces the parts of a text that differ between requests. */
export function masked(text: string): string {
  return MASKS.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text);
}

/** The error examples of openapi.yaml, by operation and status. */
export class ErrorExamples {
  private readonly document: Document;
  /** Maps `<operationId> <status>` to the name of its answer in `components.responses`. */
  private readonly responses = new Map<string, string>();

  constructor(contract: Contract) {
    this.document = contract.document as unknown as Document;
    for (const path of Object.values(this.document.paths)) {
      for (const { operationId, responses = {} } of Object.values(path)) {
        for (const [status, { $ref }] of Object.entries(responses)) {
          if (operationId !== undefined && Number(status) >= 400 && $ref !== undefined) {
            this.responses.set(`${operationId} ${status}`, lastSegment($ref));
          }
        }
      }
    }
  }

  /** Returns every pair of an answer and one of its examples, including answers of no operation. */
  all(): ErrorExample[] {
    return Object.entries(this.document.components.responses)
      .filter(([, { content }]) => content !== undefined)
      .flatMap(([response]) => this.of(response))
      .filter(({ value }) => typeof value.error === 'string');
  }

  /** Returns the operations with an answer, in the order of the document. */
  operationsOf(response: string): string[] {
    return Array.from(this.responses)
      .filter(([, name]) => name === response)
      .map(([key]) => key.split(' ')[0] ?? '');
  }

  /** Returns the name of an operation's answer in `components.responses`; undefined if it is written inline. */
  responseOf(operationId: string, status: number): string | undefined {
    return this.responses.get(`${operationId} ${status}`);
  }

  /** Reports if the document shows the text of an error. An open code need not show each of its texts. */
  shows(operationId: string, status: number, { error, code }: ErrorBody): boolean {
    const response = this.responseOf(operationId, status);
    if (response === undefined || OPEN_CODES.includes(code ?? '')) return true;
    const texts = this.of(response)
      .filter(({ value }) => value.code === code)
      .map(({ value }) => withoutNumbers(value.error));
    return texts.includes(withoutNumbers(error));
  }

  private of(response: string): ErrorExample[] {
    const { components } = this.document;
    const { examples } = components.responses[response]?.content['application/json'] ?? { examples: {} };
    return Object.values(examples).map(({ $ref }) => {
      const name = lastSegment($ref);
      const example = components.examples[name];
      if (!example) throw new Error(`openapi.yaml lacks ${$ref}`);
      return { name, response, value: example.value };
    });
  }
}

/** Tests have different bounds and times. */
function withoutNumbers(text: string): string {
  return masked(text)
    .replace(/\S+\|\S+\|\d+/g, '<embedder>')
    .replace(/\d+/g, '0');
}

function lastSegment(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}
