import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config/config.js';
import { createContainer } from '../container.js';
import { ROLES } from '../domain/account/role.js';
import { PROVISIONED_LINK_LIFETIME_US } from '../domain/account/sign-in-link.js';
import { formatTimestamp } from '../domain/timestamp.js';
import { ServiceError } from '../errors.js';
import { StoreInUseError, StoreOpenError } from '../ports/store-errors.js';
import { type IssuedLink, issueLink } from '../services/access/sign-in-links.js';
import { type Provisioned, type ProvisionInput, provision } from '../services/organization/provision.js';
import { publicUrlOf } from './public-url.js';
import { askSubjectKeyType, DEFAULT_SUBJECT_KEY_TYPE, SUBJECT_KEY_TYPES } from './subject-key-question.js';
import { UsageError } from './usage-error.js';

const USAGE = `Creates an organization with its owner, or adds a person to one, and prints a token for that person, and a link that
opens the dashboard.

  memory-provision --organization NAME --owner EMAIL [options]

In a checkout, "npm run --silent provision --" takes the place of "memory-provision".

  --organization NAME       name of the new organization
  --owner EMAIL             the person that the token is for
  --organization-id ID      the organization to add the person to, or the id of the new one (a UUID)
  --role ROLE               owner (default), member or readonly; the first person of an organization must be owner
  --ability ABILITY         an ability of the token, may be repeated: memory:ingest, memory:search, memory:admin,
                            settings:admin; default: everything that the role allows
  --subject-key-type TYPE   string, integer, or none, which leaves the choice to an owner; a new organization without
                            this option gets string, or the type that you enter if you are asked on a terminal
  --price PRICE_ID          plan of the organization, set without the billing provider
  --json                    print one JSON object: organizationId, userId, token, link and linkExpiresAt
`;

const WITH_SERVER = `A running server creates tokens itself: an owner sends POST /api/organization/tokens, and invites people with
POST /api/organization/invitations.`;

/** Actor of the audit event. */
const PROVISION = { actor: { type: 'system', id: 'provision' }, source: 'operator' } as const;

interface Arguments extends ProvisionInput {
  json: boolean;
  /** The type of the subject keys of a new organization is not given, and somebody can be asked. */
  asks: boolean;
}

try {
  await main();
} catch (error) {
  console.error(explain(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2));
  if (!given) {
    console.log(USAGE);
    return;
  }
  const config = readConfig(process.env);
  const asked = given.asks ? await askSubjectKeyType(process.stdin, process.stdout) : undefined;
  await using container = await createContainer(config, () => {
    // A failing store rejects pending operations, which ends the run.
  });
  const { billing } = container.deps;
  if (given.priceId !== undefined && !billing.plans.has(given.priceId)) {
    console.error(`WARNING: SERVICE_PLANS has no price ${given.priceId}. Metered operations return 503 until then.`);
  }
  const made = await provision(container.deps, { ...given, newSubjectKeyType: asked ?? given.newSubjectKeyType });
  const link = await issueLink(container.deps, PROVISION, {
    userId: made.userId,
    publicUrl: publicUrlOf(config),
    setsPassword: true,
    lifetimeUs: PROVISIONED_LINK_LIFETIME_US,
  });
  print(made, link, given.json);
}

/** Returns undefined if help is requested. @throws {UsageError} */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { help, json, organization, owner, role, ability, price, ...more } = parse(args);
  if (help) return undefined;
  if (owner === undefined) throw new UsageError('Set the person: --owner EMAIL');
  const organizationId = more['organization-id'];
  if (organization === undefined && organizationId === undefined) {
    throw new UsageError('Set the organization: --organization NAME');
  }
  const type = oneOf('subject-key-type', more['subject-key-type'], [...SUBJECT_KEY_TYPES, 'none'] as const);
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return {
    name: organization,
    organizationId,
    email: owner,
    role: oneOf('role', role, ROLES),
    abilities: ability,
    subjectKeyType: type === 'none' ? undefined : type,
    newSubjectKeyType: type === undefined ? DEFAULT_SUBJECT_KEY_TYPE : undefined,
    asks: type === undefined && organizationId === undefined && !json && isTerminal,
    priceId: price,
    json: json ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        organization: { type: 'string' },
        'organization-id': { type: 'string' },
        owner: { type: 'string' },
        role: { type: 'string' },
        ability: { type: 'string', multiple: true },
        'subject-key-type': { type: 'string' },
        price: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function oneOf<Value extends string>(
  option: string,
  given: string | undefined,
  values: readonly Value[],
): Value | undefined {
  const found = values.find((value) => value === given);
  if (given !== undefined && found === undefined) throw new UsageError(`Set --${option} as ${values.join(' or ')}`);
  return found;
}

function print({ organizationId, userId, token }: Provisioned, { link, expiresAt }: IssuedLink, asJson: boolean): void {
  const linkExpiresAt = formatTimestamp(expiresAt);
  console.log(
    asJson
      ? JSON.stringify({ organizationId, userId, token, link, linkExpiresAt })
      : `organization  ${organizationId}
user          ${userId}
token         ${token}
dashboard     ${link}

The token and the link are shown only once. The link works once, within 24 hours.`,
  );
}

/** Returns the message without a stack if the operator can fix the error. */
function explain(error: unknown): unknown {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  if (error instanceof StoreInUseError) return `${error.message}\n${WITH_SERVER}`;
  const isExpected = error instanceof ConfigError || error instanceof StoreOpenError || error instanceof ServiceError;
  return isExpected ? error.message : error;
}
