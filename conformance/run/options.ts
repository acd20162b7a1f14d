import { parseArgs } from 'node:util';
import { CAPABILITIES, type Capability, isCapability } from '../world/capability.js';

export const REPORT_KINDS = ['json', 'junit', 'html', 'badge'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

export interface Options {
  baseUrl: string;
  token: string;
  secondToken?: string;
  profile?: string;
  without: readonly Capability[];
  /** Only checks of these sections, a section standing for its parts. */
  sections: readonly string[];
  /** Only these checks. */
  checks: readonly string[];
  /** Only checks that need one of these. */
  needs: readonly Capability[];
  reports: readonly { kind: ReportKind; file: string }[];
  baseline?: string;
  /** True if the memories of the run are kept. */
  keep: boolean;
  /** The number of tokens that the run may create for itself. */
  tokens: number;
  /** How many checks run at once. */
  jobs: number;
}

/** The command line is wrong. The message says what to write. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const DEFAULT_TOKENS = 30;
const DEFAULT_JOBS = 8;

export const USAGE = `Usage: memory-conformance --base-url URL --token TOKEN [options]

  --base-url URL        the deployment, without /api (or MEMORY_BASE_URL)
  --token TOKEN         a token of an owner with every ability (or MEMORY_TOKEN)
  --second-token TOKEN  a token of another organization (or MEMORY_SECOND_TOKEN)
  --profile FILE        what the deployment offers, as YAML or JSON
  --without CAPABILITY  do not check what needs it; may be repeated
  --section NUMBER      only checks of this part of the specification; may be repeated
  --check ID            only this check; may be repeated
  --needs CAPABILITY    only checks that need it; may be repeated
  --report KIND FILE    write a report: ${REPORT_KINDS.join(', ')}; may be repeated
  --baseline FILE       ids of checks that are known to fail, one a line
  --keep                leave behind what the run wrote
  --tokens NUMBER       how many tokens the run may make for itself, and revokes at its end, so as not to wait for the
                        limits of the one it was given (${DEFAULT_TOKENS}; 0 makes none)
  --jobs NUMBER         how many checks run at once (${DEFAULT_JOBS})
  --list                print every check and end
  --help                print this and end

Capabilities:
${Object.entries(CAPABILITIES)
  .map(([name, meaning]) => `  ${name.padEnd(20)}  ${meaning}`)
  .join('\n')}

Ends with 0 when the deployment conforms, 1 when it does not, 2 when it could not be looked at.`;

/**
 * Reads the command line.
 *
 * @returns the options, or the one word that was asked for
 * @throws {UsageError}
 */
export function parseOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | 'help' | 'list' {
  const { values, positionals } = parse(joinReports(args));
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" belongs to no option`);
  if (values.help) return 'help';
  if (values.list) return 'list';
  const { baseUrl, token, secondToken } = readAccess(values, env);
  return {
    baseUrl,
    token,
    ...(secondToken && { secondToken }),
    ...(values.profile && { profile: values.profile }),
    without: (values.without ?? []).map(toCapability),
    sections: values.section ?? [],
    checks: values.check ?? [],
    needs: (values.needs ?? []).map(toCapability),
    reports: (values.report ?? []).map(toReport),
    ...(values.baseline && { baseline: values.baseline }),
    keep: values.keep ?? false,
    tokens: toNumber('tokens', values.tokens, 0) ?? DEFAULT_TOKENS,
    jobs: toNumber('jobs', values.jobs, 1) ?? DEFAULT_JOBS,
  };
}

/** Returns the base URL and the token, from the command line or else the environment. */
function readAccess(
  values: Partial<Record<'base-url' | 'token' | 'second-token', string>>,
  env: Readonly<Record<string, string | undefined>>,
): { baseUrl: string; token: string; secondToken: string | undefined } {
  const baseUrl = values['base-url'] ?? env.MEMORY_BASE_URL;
  const token = values.token ?? env.MEMORY_TOKEN;
  if (!baseUrl || !URL.canParse(baseUrl))
    throw new UsageError('--base-url must be a URL, such as http://127.0.0.1:8080');
  if (!token) throw new UsageError('--token is missing');
  return { baseUrl, token, secondToken: values['second-token'] ?? env.MEMORY_SECOND_TOKEN };
}

/** Makes one argument of the kind and the file of a report. */
function joinReports(args: readonly string[]): string[] {
  const joined = [...args];
  for (let at = joined.indexOf('--report'); at >= 0; at = joined.indexOf('--report', at + 1)) {
    const [kind = '', file] = joined.slice(at + 1, at + 3);
    if (!kind.includes('=') && file !== undefined) joined.splice(at + 1, 2, `${kind}=${file}`);
  }
  return joined;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        'base-url': { type: 'string' },
        token: { type: 'string' },
        'second-token': { type: 'string' },
        profile: { type: 'string' },
        without: { type: 'string', multiple: true },
        section: { type: 'string', multiple: true },
        check: { type: 'string', multiple: true },
        needs: { type: 'string', multiple: true },
        report: { type: 'string', multiple: true },
        baseline: { type: 'string' },
        keep: { type: 'boolean' },
        tokens: { type: 'string' },
        jobs: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function toCapability(name: string): Capability {
  if (isCapability(name)) return name;
  throw new UsageError(`there is no capability "${name}", but there are ${Object.keys(CAPABILITIES).join(', ')}`);
}

function toNumber(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least) return number;
  throw new UsageError(`--${option} takes a number, ${least} or more`);
}

function toReport(text: string): { kind: ReportKind; file: string } {
  const [name = '', ...rest] = text.split('=');
  const kind = REPORT_KINDS.find((known) => known === name);
  const file = rest.join('=');
  if (kind && file) return { kind, file };
  throw new UsageError(`--report takes ${REPORT_KINDS.join(', ')} and a file`);
}
