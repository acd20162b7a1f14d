import { createRequire } from 'node:module';
import type { Tool } from '@modelcontextprotocol/server';
import { type ArgumentType, argumentsOf, type OperationArguments } from '../contract.js';
import type { JsonSchema } from '../json-schema.js';
import { memoryContext } from './context.js';
import type { AnyTool } from './define.js';
import { type Fixed, type ListedArguments, listedArguments, TOOL_NAMES, type ToolName } from './listed-arguments.js';
import { memoryChanges, memoryGet, memoryRecent, memorySearch, memoryStats, serviceHealth } from './reads.js';
import { memoryDelete, memoryIngest, memoryIngestBatch, memoryRestore, memoryUpdate, memoryUpsert } from './writes.js';

const TOOLS: Readonly<Record<ToolName, AnyTool>> = {
  memory_context: memoryContext,
  memory_ingest: memoryIngest,
  memory_upsert: memoryUpsert,
  memory_ingest_batch: memoryIngestBatch,
  memory_search: memorySearch,
  memory_stats: memoryStats,
  memory_changes: memoryChanges,
  memory_recent: memoryRecent,
  memory_get: memoryGet,
  memory_update: memoryUpdate,
  memory_delete: memoryDelete,
  memory_restore: memoryRestore,
  service_health: serviceHealth,
};

/** The tools that a connection offers. */
export type Toolset = 'all' | 'core';

/** The tools that most agents need, for those whose definitions must be short. */
const CORE: readonly ToolName[] = [
  'memory_context',
  'memory_ingest',
  'memory_search',
  'memory_get',
  'memory_update',
  'memory_delete',
];

/** A tool with the arguments of its operation. */
export interface CatalogEntry {
  tool: AnyTool;
  /** All arguments that the tool accepts. */
  properties: Readonly<Record<string, ArgumentType>>;
  required: readonly string[];
}

/** Tools by name, in the order in which they are listed. */
export type Catalog = ReadonlyMap<string, CatalogEntry>;

/** The parts of openapi.yaml that the tools need, written to tools.json by the build. */
export interface CompiledTools {
  /** The version of the document, which is that of the package. */
  version: string;
  /** The arguments by operationId. */
  operations: Readonly<Record<string, OperationArguments>>;
}

/** Reads the arguments of the tools from openapi.yaml. @throws if an operation of a tool is missing */
export function compileTools(document: JsonSchema): CompiledTools {
  const { info } = document as { info?: { version?: string } };
  const ids = Object.values(TOOLS).map(({ operationId }) => operationId);
  const operations = Object.fromEntries(ids.map((id) => [id, argumentsOf(document, id)]));
  return { version: info?.version ?? 'unknown', operations };
}

/** Reads the tools.json of the build. Works from the sources and from the built package. */
export function readTools(): CompiledTools {
  return createRequire(import.meta.url)('#generated/tools.json');
}

/** @throws if an operation of a tool is missing */
export function toCatalog({ operations }: Pick<CompiledTools, 'operations'>): Catalog {
  return new Map(TOOL_NAMES.map((name) => [name, toEntry(TOOLS[name], operations)]));
}

/** Returns the tools of a set. */
export function selectTools(catalog: Catalog, toolset: Toolset): Catalog {
  if (toolset === 'all') return catalog;
  return new Map(Array.from(catalog).filter(([, { tool }]) => CORE.includes(tool.name)));
}

/** @throws {RangeError} if there is no such set */
export function readToolset(name: string | undefined): Toolset {
  if (name === undefined || name === '' || name === 'all') return 'all';
  if (name === 'core') return name;
  throw new RangeError('must be all or core');
}

/**
 * Returns the tools in the form of `tools/list`.
 *
 * @param fixed values that the connection sets, so that they are not listed
 */
export function listTools(catalog: Catalog, fixed: readonly Fixed[] = []): Tool[] {
  const args = listedArguments(fixed);
  return Array.from(catalog.values(), (entry) => toListed(entry, args[entry.tool.name]));
}

function toEntry(tool: AnyTool, operations: CompiledTools['operations']): CatalogEntry {
  const operation = operations[tool.operationId];
  if (!operation) throw new Error(`The contract does not have the operation ${tool.operationId}`);
  const { takes, extra } = tool;
  if (takes === undefined) {
    return { tool, properties: { ...operation.properties, ...extra }, required: operation.required };
  }
  const taken = Object.entries(operation.properties).filter(([argument]) => takes.includes(argument));
  return { tool, properties: { ...Object.fromEntries(taken), ...extra }, required: [] };
}

function toListed({ tool, required }: CatalogEntry, args: ListedArguments): Tool {
  const { name, title, description, hints, output } = tool;
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: { ...args },
      ...(required.length > 0 && { required: [...required] }),
    },
    outputSchema: { type: 'object', properties: { ...output } },
    annotations: { ...hints },
  };
}
