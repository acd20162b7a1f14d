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
  /** If not empty, only the checks of these sections and their subsections run. */
  sections: readonly string[];
  /** If not empty, only these checks run. */
  checks: readonly string[];
  /** If not empty, only the checks that need one of these run. */
  needs: readonly Capability[];
  reports: readonly { kind: ReportKind; file: string }[];
  baseline?: string;
  /** True if a check whose capability is missing fails, unless `without` names the capability. */
  strict: boolean;
  /** True if the memories of the run are kept. */
  keep: boolean;
  /** The number of tokens that the run may create for itself. */
  tokens: number;
  /** Maximum number of checks that run at the same time. */
  jobs: number;
}

/** The command line is not valid. The message says how to correct it. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const DEFAULT_TOKENS = 30;
const DEFAULT_JOBS = 8;

export const USAGE = `Usage: memory-conformance --base-url URL --token TOKEN [options]

  --base-url URL        URL of the deployment, without /api (or MEMORY_BASE_URL)
  --token TOKEN         token of an owner, with every ability (or MEMORY_TOKEN)
  --second-token TOKEN  token of another organization (or MEMORY_SECOND_TOKEN)
  --profile FILE        description of the deployment, as YAML or JSON
  --without CAPABILITY  skip the checks that need it; repeatable
  --strict              fail the checks whose capability is missing, unless --without names it
  --section NUMBER      run only the checks of this section; repeatable
  --check ID            run only this check; repeatable
  --needs CAPABILITY    run only the checks that need it; repeatable
  --report KIND FILE    write a report: ${REPORT_KINDS.join(', ')}; repeatable
  --baseline FILE       list of the checks that are known to fail, one id per line
  --keep                keep the memories that the run wrote
  --tokens NUMBER       how many tokens the run may create, to wait less for rate limits; it revokes them at the
                        end (default ${DEFAULT_TOKENS}; 0 for none)
  --jobs NUMBER         how many checks run at the same time (default ${DEFAULT_JOBS})
  --list                print all checks and exit
  --help                print this text and exit

Capabilities:
${Object.entries(CAPABILITIES)
  .map(([name, meaning]) => `  ${name.padEnd(20)}  ${meaning}`)
  .join('\n')}

Exit code: 0 if the deployment conforms, 1 if it does not, 2 if the run could not start.`;

/**
 * Reads the command line.
 *
 * @returns the options, or the action that replaces a run
 * @throws {UsageError}
 */
export function parseOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | 'help' | 'list' {
  const { values, positionals } = parse(joinReports(args));
  if (positionals.length > 0) throw new UsageError(`unexpected argument "${positionals[0]}"`);
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
    strict: values.strict ?? false,
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

/** Joins the kind and the file of each report into one argument. */
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
        strict: { type: 'boolean' },
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
