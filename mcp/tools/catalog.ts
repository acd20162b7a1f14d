import { createRequire } from 'node:module';
import type { Tool } from '@modelcontextprotocol/server';
import { type OperationSchemas, schemasOf } from '../contract.js';
import type { JsonSchema } from '../json-schema.js';
import type { AnyTool } from './define.js';
import { memoryChanges, memoryGet, memoryRecent, memorySearch, memoryStats, serviceHealth } from './reads.js';
import { memoryDelete, memoryIngest, memoryIngestBatch, memoryRestore, memoryUpdate, memoryUpsert } from './writes.js';

const TOOLS: readonly AnyTool[] = [
  memoryIngest,
  memoryUpsert,
  memoryIngestBatch,
  memorySearch,
  memoryStats,
  memoryChanges,
  memoryRecent,
  memoryGet,
  memoryUpdate,
  memoryDelete,
  memoryRestore,
  serviceHealth,
];

/** A tool with the schemas that the contract gives it. */
export interface CatalogEntry {
  tool: AnyTool;
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
  /** As clients are told of it. */
  listed: Tool;
}

/** Tools by name, in the order of the specification. */
export type Catalog = ReadonlyMap<string, CatalogEntry>;

/** What the tools need of openapi.yaml, as the build writes it to tools.json. */
export interface CompiledTools {
  /** Of the document, and so of the package. */
  version: string;
  /** By operationId. */
  schemas: Readonly<Record<string, OperationSchemas>>;
}

/** Reads what the tools take and answer from openapi.yaml. @throws when an operation of a tool is not there */
export function compileTools(document: JsonSchema): CompiledTools {
  const { info } = document as { info?: { version?: string } };
  const schemas = TOOLS.map(({ operationId }) => [operationId, schemasOf(document, operationId)] as const);
  return { version: info?.version ?? 'unknown', schemas: Object.fromEntries(schemas) };
}

/** Reads what the build made of openapi.yaml: the same from the sources and from what is built of them. */
export function readTools(): CompiledTools {
  return createRequire(import.meta.url)('#generated/tools.json');
}

/** @throws when an operation of a tool is not there */
export function toCatalog({ schemas }: Pick<CompiledTools, 'schemas'>): Catalog {
  return new Map(TOOLS.map((tool) => [tool.name, toEntry(tool, schemas[tool.operationId])]));
}

function toEntry(tool: AnyTool, schemas: OperationSchemas | undefined): CatalogEntry {
  if (!schemas) throw new Error(`The contract lacks the operation ${tool.operationId}`);
  const { name, title, description, hints, extra = {} } = tool;
  const { required, output } = schemas;
  const properties = { ...schemas.properties, ...extra };
  const listed = {
    name,
    title,
    description,
    inputSchema: {
      type: 'object' as const,
      properties: properties as Tool['inputSchema']['properties'],
      ...(required.length > 0 && { required: [...required] }),
      additionalProperties: false,
    },
    outputSchema: { ...(output ?? tool.output), type: 'object' as const },
    annotations: { ...hints },
  };
  return { tool, properties, required, listed };
}
