import { type Document, groupsOf, type Operation, type Schema } from '../../dashboard/pages/reference/contract.js';
import { flatten } from '../../dashboard/pages/reference/schema.js';
import { escapeHtml } from '../html.js';
import type { Page } from '../layout.js';
import { headingHtml } from '../markdown.js';
import type { IndexEntry } from '../search/search-index.js';
import { operationHtml } from './operation.js';
import { plainProse, proseHtml } from './prose.js';
import { SCHEMAS_PAGE, SchemaWriter } from './schemas.js';

const OVERVIEW = 'API reference';
const SCHEMAS = 'API: schemas';

interface ReferencePage extends Page {
  entries: readonly IndexEntry[];
}

/** Writes the API reference: an overview, a page for each tag of the contract, and one of the schemas. */
export function referencePages(document: Document): ReferencePage[] {
  const schemas = new SchemaWriter(document);
  const groups = groupsOf(document).map(({ name, description, operations }) => ({
    title: `API: ${name}`,
    name: `api-${name}.html`,
    description,
    operations,
  }));
  const lists = groups.map(
    ({ title, name, operations }) =>
      `<h2><a href="${name}">${escapeHtml(title)}</a></h2>\n<ul>\n${operations.map((each) => lineOf(name, each)).join('')}</ul>\n`,
  );
  const { info } = document;
  const overview: ReferencePage = {
    title: OVERVIEW,
    name: 'api.html',
    html: `<h1>${OVERVIEW}</h1>\n<p>Version ${info.version}. A server has this document at <code>/openapi.yaml</code> and <code>/openapi.json</code>.</p>\n${proseHtml(info.description)}${lists.join('')}`,
    headings: [],
    entries: [{ page: OVERVIEW, address: 'api.html', heading: OVERVIEW, text: plainProse(info.description) }],
  };
  const pages = groups.map(({ title, name, description, operations }) => ({
    title,
    name,
    html: `<h1>${escapeHtml(title)}</h1>\n${proseHtml(description)}${operations.map((each) => operationHtml(each, schemas)).join('')}`,
    headings: operations.map(({ operationId, summary }) => ({ anchor: operationId, text: summary })),
    entries: operations.map((operation) => entryOf(title, name, operation)),
  }));
  return [overview, ...pages, schemasPage(document, schemas)];
}

function lineOf(page: string, { operationId, summary, method, path }: Operation): string {
  return `<li><a href="${page}#${operationId}">${escapeHtml(summary)}</a> <small><code>${method.toUpperCase()} ${escapeHtml(path)}</code></small></li>\n`;
}

function entryOf(page: string, name: string, { operationId, summary, method, path, description }: Operation) {
  const text = `${method.toUpperCase()} ${path} ${operationId}. ${plainProse(description)}`;
  return { page, address: `${name}#${operationId}`, heading: summary, text };
}

/** A page of the schemas that others link to, and of those that these link to. */
function schemasPage({ components }: Document, schemas: SchemaWriter): ReferencePage {
  const written = new Map<string, string>();
  // The set grows while its schemas are written.
  for (const name of schemas.linked) {
    const schema = (components.schemas?.[name] ?? {}) as Schema;
    const description = proseHtml(flatten(schemas.document, schema).description);
    written.set(name, `${headingHtml(2, name, `<code>${name}</code>`, name)}${description}${schemas.members(schema)}`);
  }
  const names = [...written.keys()].sort();
  return {
    title: SCHEMAS,
    name: SCHEMAS_PAGE,
    html: `<h1>${SCHEMAS}</h1>\n${names.map((name) => written.get(name)).join('')}`,
    headings: names.map((name) => ({ anchor: name, text: name })),
    entries: names.map((name) => ({ page: SCHEMAS, address: `${SCHEMAS_PAGE}#${name}`, heading: name, text: '' })),
  };
}
