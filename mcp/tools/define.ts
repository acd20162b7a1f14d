import type { CallOptions, MemoryClient } from '@memory-service/sdk';
import type { JsonSchema } from '../json-schema.js';

/** Every hint is given: one that is left out reads as the worst. */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface ToolDefinition<Input> {
  name: string;
  title: string;
  /** What it does and when to use it; its arguments are described by the contract. */
  description: string;
  /** The operation of openapi.yaml that it is. */
  operationId: string;
  hints: ToolHints;
  /** Arguments of the tool alone, which no operation has. */
  extra?: Readonly<Record<string, JsonSchema>>;
  /** What it answers, where the operation answers nothing. */
  output?: JsonSchema;
  /** Calls the operation. What it throws is told as a tool error. */
  run: (client: MemoryClient, input: Input, options: CallOptions) => Promise<object>;
}

/** A tool of whatever input. */
export type AnyTool = ToolDefinition<Readonly<Record<string, unknown>>>;

/** Reads only, and only what the service holds. */
export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Adds, and changes nothing that was there but metadata. */
export const ADDS: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** May replace or remove what was there. */
export const REPLACES: ToolHints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** The type says what the contract says; the service is what checks the input that comes. */
export function defineTool<Input>(tool: ToolDefinition<Input>): AnyTool {
  const { run, ...rest } = tool;
  return { ...rest, run: (client, input, options) => run(client, input as Input, options) };
}
