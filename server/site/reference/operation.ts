import {
  type Answer,
  examplesOf,
  mediaOf,
  type Operation,
  type Parameter,
  resolve,
} from '../../dashboard/pages/reference/contract.js';
import { curlOf } from '../../dashboard/pages/reference/curl.js';
import { highlight } from '../highlight.js';
import { codeBlock, escapeHtml } from '../html.js';
import { headingHtml } from '../markdown.js';
import { inlineHtml, proseHtml, tableHtml } from './prose.js';
import type { SchemaWriter } from './schemas.js';

/** The variable that the other documents use. */
const BASE_URL = '$MEMORY_BASE_URL';

/** Writes everything that the contract says about an operation. */
export function operationHtml(operation: Operation, schemas: SchemaWriter): string {
  const { operationId, method, path, summary, description } = operation;
  const curl = curlOf(schemas.document, operation, BASE_URL);
  return [
    headingHtml(2, operationId, escapeHtml(summary), summary),
    `<p><strong class="method">${method.toUpperCase()}</strong> <code>${escapeHtml(path)}</code></p>\n`,
    proseHtml(description),
    accessHtml(operation),
    codeBlock(curl, highlight(curl, 'sh')),
    parametersHtml(operation, schemas),
    bodyHtml(operation, schemas),
    answersHtml(operation, schemas),
  ].join('');
}

/** Lists the credentials that an operation accepts, and its limits. */
function accessHtml({ operationId, security, ...operation }: Operation): string {
  const abilities = security.flatMap(({ bearer }) => bearer ?? []);
  const ways = [
    security.some((way) => 'bearer' in way) && `a token${abilities[0] ? ` with <code>${abilities[0]}</code>` : ''}`,
    security.some((way) => 'session' in way) && 'a session',
  ].filter(Boolean);
  const limit = operation['x-rate-limit-class'];
  const cap = operation['x-metered'];
  const parts = [
    `Operation <code>${operationId}</code>`,
    `needs ${ways.length === 0 ? 'no credential' : ways.join(' or ')}`,
    limit && `rate limit <code>${limit}</code>`,
    cap && `monthly cap <code>${cap}</code>`,
  ];
  return `<p><small>${parts.filter(Boolean).join(' · ')}</small></p>\n`;
}

function parametersHtml(operation: Operation, schemas: SchemaWriter): string {
  const parameters = (operation.parameters ?? []).map((part) => resolve(schemas.document, part));
  const rows = parameters.map((parameter) => [
    `<code>${escapeHtml(parameter.name)}</code><br><small>${parameter.in}${parameter.required ? ', required' : ''}</small>`,
    schemas.type(schemaOf(parameter)),
    inlineHtml(parameter.description),
  ]);
  return tableHtml(['Parameter', 'Type', 'Meaning'], rows);
}

function schemaOf({ schema, content }: Parameter) {
  return schema ?? mediaOf(content)?.media.schema ?? {};
}

function bodyHtml({ requestBody }: Operation, schemas: SchemaWriter): string {
  if (!requestBody) return '';
  const body = resolve(schemas.document, requestBody);
  const found = mediaOf(body.content);
  if (!found) return '';
  const { schema = {} } = found.media;
  const table = schemas.members(schema);
  return `<h3>Body</h3>\n${proseHtml(body.description)}${table || `<p>${schemas.type(schema)}</p>\n`}`;
}

function answersHtml({ responses }: Operation, schemas: SchemaWriter): string {
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, resolve(schemas.document, answer)] as const,
  );
  const rows = answers.map(([status, answer]) => {
    const schema = mediaOf(answer.content)?.media.schema;
    const type = schema && status.startsWith('2') ? `<br>${schemas.type(schema)}` : '';
    return [`<code>${status}</code>`, inlineHtml(answer.description) + type];
  });
  const examples = answers
    .filter(([status]) => status.startsWith('2'))
    .map(([status, answer]) => exampleHtml(status, answer, schemas));
  return `<h3>Answers</h3>\n${tableHtml(['Status', 'Meaning'], rows)}${examples.join('')}`;
}

function exampleHtml(status: string, { content }: Answer, { document }: SchemaWriter): string {
  const found = mediaOf(content);
  const [example] = found ? examplesOf(document, found.media) : [];
  if (!example) return '';
  const { value } = example;
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  const summary = `<summary>Example of an answer with ${status}</summary>`;
  return `<details>${summary}\n${codeBlock(text, highlight(text, 'json'))}</details>\n`;
}
