import { parseArgs } from 'node:util';
import type { Config } from '../config/config.js';
import { type Credentials, readCredentials } from '../config/credentials.js';
import { createContainer } from '../container.js';
import type { Deps } from '../deps.js';
import { foldEmail } from '../domain/account/email.js';
import { formatTimestamp } from '../domain/timestamp.js';
import { StoreInUseError, StoreOpenError } from '../ports/store-errors.js';
import { issueLink } from '../services/access/sign-in-links.js';
import { findFirstOwner } from '../services/organization/first-owner.js';
import { publicUrlOf } from './public-url.js';
import { UsageError } from './usage-error.js';

const USAGE = `Usage:
  memory-server dashboard [--email EMAIL]   print a link that opens the dashboard, once, within 15 minutes

  --email EMAIL   the person to sign in, who may also set a new password; default: the first owner of the only
                  organization, or of SERVICE_DEFAULT_ORGANIZATION_ID`;

const SERVER_RUNS = `A server is using the data folder, so this command cannot write to it. Use one of:
  memory dashboard        with an access token of the person: the server itself then creates the link
  memory-server dashboard after the server is stopped; start the server again, and open the link within 15 minutes`;

/** Actor of the audit event. */
const OPERATOR = { actor: { type: 'system', id: 'dashboard' }, source: 'operator' } as const;

const REQUEST_TIMEOUT_MS = 10_000;

/** The part of the answer about a token that names its person. */
interface SessionInfo {
  user: { email: string };
}

interface Printed {
  link: string;
  expiresAt: string;
}

/** Prints a link that opens the dashboard. Returns true on success. @throws {UsageError} */
export async function printDashboardLink(config: Config, args: readonly string[]): Promise<boolean> {
  const { help, email } = readArguments(args);
  if (help) {
    console.log(USAGE);
    return true;
  }
  const credentials = readCredentials(config.dataDir);
  const { link, expiresAt } = await createLink(config, email, credentials).catch((error: unknown) => {
    if (error instanceof StoreInUseError) return askServer(credentials, email);
    throw error;
  });
  console.log(`Open the dashboard here, once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC:\n  ${link}`);
  return true;
}

async function createLink(
  config: Config,
  email: string | undefined,
  credentials: Credentials | undefined,
): Promise<Printed> {
  await using container = await createContainer(config, () => {
    // A failing store rejects pending operations, which ends the run.
  });
  const { deps } = container;
  const userId = await findUser(deps, email, config.defaultOrganizationId);
  const publicUrl = publicUrlOf(config, credentials?.baseUrl);
  const { link, expiresAt } = await issueLink(deps, OPERATOR, { userId, publicUrl, setsPassword: true });
  return { link, expiresAt: formatTimestamp(expiresAt) };
}

/** @throws {UsageError} if nobody, or not one person, is meant */
async function findUser(
  deps: Pick<Deps, 'store'>,
  email: string | undefined,
  organizationId: string | undefined,
): Promise<string> {
  const user = await (email === undefined
    ? findFirstOwner(deps, organizationId)
    : deps.store.accounts.findUserByEmail(email));
  if (user) return user.id;
  throw new UsageError(
    email === undefined ? `Set the person: --email EMAIL\n\n${USAGE}` : `Nobody has the address ${email}`,
  );
}

/**
 * Asks the running server of a first start, whose token belongs to its owner.
 *
 * @throws {StoreOpenError} also for the address of anybody else: a token makes links of its own person only
 */
async function askServer(credentials: Credentials | undefined, email: string | undefined): Promise<Printed> {
  if (!credentials) throw new StoreOpenError(SERVER_RUNS);
  if (email !== undefined) {
    const { user } = (await send(credentials, 'GET', '/api/session')) as SessionInfo;
    if (foldEmail(user.email) !== foldEmail(email)) throw new StoreOpenError(SERVER_RUNS);
  }
  const { link, expiresAt } = (await send(credentials, 'POST', '/api/session/links')) as Printed;
  return { link: new URL(link, credentials.baseUrl).href, expiresAt };
}

/** Returns what the running server answers. @throws {StoreOpenError} if it refuses or does not answer */
async function send({ baseUrl, token }: Credentials, method: string, path: string): Promise<unknown> {
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new StoreOpenError(`${SERVER_RUNS}\n\nThe server does not answer at ${baseUrl}.`, { cause });
  });
  if (!answer.ok) throw new StoreOpenError(SERVER_RUNS);
  return answer.json();
}

function readArguments(args: readonly string[]): { help?: boolean; email?: string } {
  try {
    const options = { email: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`, { cause: error });
  }
}
