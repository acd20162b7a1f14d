import type { CallOptions, MemoryClient } from '@memory-service/sdk';
import type { Binds } from '../binding/bind-input.js';
import type { ArgumentType } from '../contract.js';
import type { ToolName } from './listed-arguments.js';

/** All hints are required, since clients assume the worst for a missing one. */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The body of a result: the response of the operation. */
export type Body = Readonly<Record<string, unknown>>;

export interface ToolDefinition<Input> {
  name: ToolName;
  title: string;
  /** Says what the tool does and when to use it. `listedArguments` describes the arguments. */
  description: string;
  /** The operation of openapi.yaml that the tool calls. Its arguments are those of the tool. */
  operationId: string;
  /** Further operations that the tool calls. */
  also?: readonly string[];
  /** The arguments of the operation that the tool has, none of them required. Default: all, required as there. */
  takes?: readonly string[];
  hints: ToolHints;
  /** Limits the tool to the subject and project of a bound connection. */
  binds: Binds;
  /** Arguments that only the tool has. */
  extra?: Readonly<Record<string, ArgumentType>>;
  /** The members of a result that a program most likely reads. */
  output: Readonly<Record<string, { type: string }>>;
  /** Calls the operation. A thrown error becomes a tool error. */
  run: (client: MemoryClient, input: Input, options: CallOptions) => Promise<object>;
  /** Writes a result for a model, in as few characters as say it. */
  text: (body: Body) => string;
}

/** A tool with any input. */
export type AnyTool = ToolDefinition<Readonly<Record<string, unknown>>>;

/** Hints of tools that only read. */
export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Hints of tools that add memories and change nothing except metadata. */
export const ADDS: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Hints of tools that may replace or delete memories. */
export const REPLACES: ToolHints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** Defines a tool. `Input` is the type in the contract; the service checks the actual input. */
export function defineTool<Input>(tool: ToolDefinition<Input>): AnyTool {
  const { run, ...rest } = tool;
  return { ...rest, run: (client, input, options) => run(client, input as Input, options) };
}
