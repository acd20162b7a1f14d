import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';

const LISTENING = /^Memory Service listens on (\S+)$/;

/** The options of a new organization. */
export interface Tenant {
  subjectKeyType?: 'integer' | 'string';
  price?: string;
  /** The id to use; default: a new one. */
  organizationId?: string;
}

/** A server of this package, as a process of its own on a free port and a folder that goes with it. */
export class LocalServer implements AsyncDisposable {
  private constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
    /** Connection string of its database, on MongoDB. */
    private readonly database: string | undefined,
    readonly url: string,
    /** Tenant → the token of its owner. */
    readonly tokens: Readonly<Record<string, string>>,
  ) {}

  static async start(
    settings: Readonly<Record<string, string>>,
    tenants: Readonly<Record<string, Tenant>>,
  ): Promise<LocalServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'memory-conformance-'));
    const own = { APP_ENV: 'local', PORT: '0', SERVICE_DATA_DIR: dataDir };
    const database = ownDatabase(`conformance_${randomUUID()}`);
    const env = { ...process.env, ...(database && { MONGODB_URI: database }), ...settings, ...own };
    const tokens: Record<string, string> = {};
    for (const [name, tenant] of Object.entries(tenants)) tokens[name] = await provision(env, name, tenant);
    const child = spawn(process.execPath, [built('server/dist/main.cjs')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await firstUrl(child);
    // Its other lines are not read: they must not fill the pipe.
    child.stdout?.resume();
    return new LocalServer(child, dataDir, database, url, tokens);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await rm(this.dataDir, { recursive: true, force: true });
    if (this.database !== undefined) await drop(this.database);
  }
}

/** On MongoDB, the connection string of a database beside whatever else the deployment holds. */
function ownDatabase(name: string): string | undefined {
  const uri = process.env.MONGODB_URI;
  if (process.env.SERVICE_STORE !== 'mongodb' || uri === undefined) return undefined;
  return uri.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);
}

async function drop(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}

/** A file of the checkout, to which this program belongs alone: it is in no package. */
export function built(file: string): string {
  return fileURLToPath(new URL(`../../../${file}`, import.meta.url));
}

async function provision(env: NodeJS.ProcessEnv, name: string, tenant: Tenant): Promise<string> {
  const { subjectKeyType, price, organizationId } = tenant;
  const args = ['--organization', name, '--owner', `${name}@conformance.test`, '--json'];
  args.push('--subject-key-type', subjectKeyType ?? 'none');
  if (price) args.push('--price', price);
  if (organizationId) args.push('--organization-id', organizationId);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [built('server/dist/operator/provision.js'), ...args],
    { env },
  );
  const { token } = JSON.parse(stdout) as { token: string };
  return token;
}

async function firstUrl({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('the server has no standard output');
  const lines = createInterface({ input: stdout });
  try {
    for await (const line of lines) {
      const url = LISTENING.exec(line)?.[1];
      if (url) return url;
    }
  } finally {
    lines.close();
  }
  throw new Error('the server ended before it listened');
}
