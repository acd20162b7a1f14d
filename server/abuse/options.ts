import { parseArgs } from 'node:util';
import type { Attack } from './attack.js';

export const USAGE = `Attacks its own server beside a tenant within its limits, and reports how that affects the tenant.

  npm run abuse -- [options]

  --only NAME      one attack; may be repeated
  --seconds N      how long each attack lasts; default 20, or 2 with --short
  --short          all attacks on one server, in about a minute; what CI runs
  --fuzz N         instead of the attacks, sends N requests over all operations of openapi.yaml
  --kills N        instead of the attacks, kills the server N times while it writes, and reports what is lost
  --texts          instead of the attacks, sends 200 hostile texts one at a time, and reports how long each takes
  --seed N         seed of the requests of --fuzz and of the times of --kills
  --list           lists the attacks
`;

export interface Options {
  attacks: readonly Attack[];
  seconds: number;
  isShort: boolean;
  /** The number of requests to send instead of the attacks. */
  fuzz: number | undefined;
  /** The number of kills instead of the attacks. */
  kills: number | undefined;
  /** True to send single texts instead of the attacks. */
  isTexts: boolean;
  seed: number;
  isListed: boolean;
}

/** The command line does not match the usage. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const SECONDS = 20;
const SHORT_SECONDS = 2;
const SEED = 42;

/** @throws {UsageError} */
export function readOptions(args: readonly string[], attacks: readonly Attack[]): Options {
  const { only, seconds, short, fuzz, kills, texts, seed, list } = parse(args);
  const unknown = only?.filter((name) => !attacks.some((attack) => attack.name === name)) ?? [];
  if (unknown.length > 0) throw new UsageError(`There is no attack ${unknown.join(', ')}; --list shows the names`);
  const isShort = short ?? false;
  return {
    attacks: only ? attacks.filter(({ name }) => only.includes(name)) : attacks,
    seconds: positive('seconds', seconds) ?? (isShort ? SHORT_SECONDS : SECONDS),
    isShort,
    fuzz: positive('fuzz', fuzz),
    kills: positive('kills', kills),
    isTexts: texts ?? false,
    seed: positive('seed', seed) ?? SEED,
    isListed: list ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true },
        seconds: { type: 'string' },
        short: { type: 'boolean' },
        fuzz: { type: 'string' },
        kills: { type: 'string' },
        texts: { type: 'boolean' },
        seed: { type: 'string' },
        list: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function positive(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(`--${option} must be a whole number of at least 1`);
  return value;
}
