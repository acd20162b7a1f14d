import type { Document, Schema } from '../../dashboard/pages/reference/contract.js';
import { boundWords, flatten, membersOf, typeWords } from '../../dashboard/pages/reference/schema.js';
import { escapeHtml } from '../html.js';
import { inlineHtml, tableHtml } from './prose.js';

export const SCHEMAS_PAGE = 'api-schemas.html';
const PREFIX = '#/components/schemas/';

/** Writes schemas, and remembers which ones it linked to. */
export class SchemaWriter {
  readonly linked = new Set<string>();

  constructor(readonly document: Document) {}

  /** A table of the members of a schema. Those of a schema with a name are only linked. */
  members(schema: Schema): string {
    return tableHtml(['Name', 'Type', 'Meaning'], this.#rows(schema, ''));
  }

  /** The type of a value with its bounds. */
  type(schema: Schema): string {
    const bounds = boundWords(this.document, schema);
    return `${this.#typeName(schema)}${bounds && `<br><small>${escapeHtml(bounds)}</small>`}`;
  }

  #rows(schema: Schema, path: string): string[][] {
    return membersOf(this.document, schema).flatMap(({ name, schema: member, isRequired }) => {
      const required = isRequired ? '<br><small class="required">required</small>' : '';
      const row = [
        `<code>${escapeHtml(path + name)}</code>${required}`,
        this.type(member),
        inlineHtml(flatten(this.document, member).description),
      ];
      return this.#nameOf(member) === undefined ? [row, ...this.#rows(member, `${path}${name}.`)] : [row];
    });
  }

  #typeName(schema: Schema): string {
    const name = this.#nameOf(schema);
    if (name === undefined) return escapeHtml(typeWords(this.document, schema));
    this.linked.add(name);
    const link = `<a href="${SCHEMAS_PAGE}#${name}">${name}</a>`;
    return flatten(this.document, schema).items && !schema.$ref ? `list of ${link}` : link;
  }

  /** Returns the name of a schema, or of the items of a list, if it has members. */
  #nameOf(schema: Schema): string | undefined {
    const reference = schema.$ref ?? schema.items?.$ref;
    if (reference === undefined || membersOf(this.document, schema).length === 0) return undefined;
    return reference.slice(PREFIX.length);
  }
}
