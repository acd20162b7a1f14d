import { connectionOf, MemoryClient } from '@memory-service/sdk';
import { Binding, BindingError } from './binding/binding.js';
import { organizationHeader, type ToolSession } from './session.js';
import { readToolset, type Toolset } from './tools/catalog.js';

/** Few retries, since a model waits for its tools. */
const RETRIES = { maxRetries: 1, maxRetryDelayMs: 5_000 };

/** The names of the variables that bind a connection. */
const VARIABLES = { subjectKey: 'MEMORY_SUBJECT_KEY', project: 'MEMORY_PROJECT' } as const;

/** A variable of the environment is missing or not valid. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
}

/**
 * Opens the session of this process.
 *
 * @throws {EnvironmentError}
 */
export function openSession(env: NodeJS.ProcessEnv): ToolSession {
  const { organizationId: own, ...connection } = connectionOf({});
  const binding = readBinding(env);
  const headers = binding?.headers;
  const open = (organizationId: string | undefined) =>
    new MemoryClient({ ...connection, ...RETRIES, organizationId, headers });
  const client = open(own);
  if (!connection.token) {
    throw new EnvironmentError(`MEMORY_TOKEN is missing: set it to an access token of ${connection.baseUrl}`);
  }
  let resolved = own;
  return {
    binding,
    toolset: toolsetOf(env),
    client: (named) => (named === undefined ? client : open(organizationHeader(own, named))),
    async organizationId() {
      // Requested once, since the credential of this process never changes.
      resolved ??= await client.session.get().then(
        ({ organization }) => organization?.id,
        () => undefined,
      );
      return resolved;
    },
  };
}

function readBinding(env: NodeJS.ProcessEnv): Binding | undefined {
  const names = { subjectKey: env[VARIABLES.subjectKey], project: env[VARIABLES.project] };
  if (names.subjectKey === undefined && names.project === undefined) return undefined;
  try {
    return new Binding(names);
  } catch (error) {
    if (!(error instanceof BindingError)) throw error;
    throw new EnvironmentError(`${VARIABLES[error.part]} ${error.reason}: unset it, or name one`);
  }
}

function toolsetOf({ MEMORY_TOOLS }: NodeJS.ProcessEnv): Toolset {
  try {
    return readToolset(MEMORY_TOOLS);
  } catch (error) {
    throw new EnvironmentError(`MEMORY_TOOLS ${error instanceof Error ? error.message : 'is not valid'}`);
  }
}
