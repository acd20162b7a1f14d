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

/** A tool with its schemas from the contract. */
export interface CatalogEntry {
  tool: AnyTool;
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
  /** The tool in the form of `tools/list`. */
  listed: Tool;
}

/** Tools by name, in the order of the specification. */
export type Catalog = ReadonlyMap<string, CatalogEntry>;

/** The parts of openapi.yaml that the tools need, written to tools.json by the build. */
export interface CompiledTools {
  /** The version of the document, which is that of the package. */
  version: string;
  /** The schemas by operationId. */
  schemas: Readonly<Record<string, OperationSchemas>>;
}

/** Reads the input and output of the tools from openapi.yaml. @throws if an operation of a tool is missing */
export function compileTools(document: JsonSchema): CompiledTools {
  const { info } = document as { info?: { version?: string } };
  const schemas = TOOLS.map(({ operationId }) => [operationId, schemasOf(document, operationId)] as const);
  return { version: info?.version ?? 'unknown', schemas: Object.fromEntries(schemas) };
}

/** Reads the tools.json of the build. Works from the sources and from the built package. */
export function readTools(): CompiledTools {
  return createRequire(import.meta.url)('#generated/tools.json');
}

/** @throws if an operation of a tool is missing */
export function toCatalog({ schemas }: Pick<CompiledTools, 'schemas'>): Catalog {
  return new Map(TOOLS.map((tool) => [tool.name, toEntry(tool, schemas[tool.operationId])]));
}

function toEntry(tool: AnyTool, schemas: OperationSchemas | undefined): CatalogEntry {
  if (!schemas) throw new Error(`The contract does not have the operation ${tool.operationId}`);
  const { name, title, description, hints, extra = {}, without = [] } = tool;
  const { required, output } = schemas;
  const kept = Object.entries(schemas.properties).filter(([argument]) => !without.includes(argument));
  const properties = { ...Object.fromEntries(kept), ...extra };
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
