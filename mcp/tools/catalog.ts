import type { Tool } from '@modelcontextprotocol/server';
import { schemasOf } from '../contract.js';
import type { JsonSchema } from '../json-schema.js';
import type { AnyTool } from './define.js';
import { memoryChanges, memoryGet, memoryRecent, memorySearch, memoryStats, serviceHealth } from './reads.js';
import { memoryDelete, memoryIngest, memoryIngestBatch, memoryUpdate, memoryUpsert } from './writes.js';

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

/** Reads what the tools take and answer from openapi.yaml. @throws when an operation of a tool is not there */
export function readCatalog(document: JsonSchema): Catalog {
  return new Map(TOOLS.map((tool) => [tool.name, toEntry(document, tool)]));
}

function toEntry(document: JsonSchema, tool: AnyTool): CatalogEntry {
  const { name, title, description, hints, extra = {} } = tool;
  const { required, output, ...schemas } = schemasOf(document, tool.operationId);
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
