import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from './config/config.js';
import { clientAddress } from './domain/account/client-address.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPOSE = ['compose.yaml', 'compose.mongodb.yaml', 'compose.caddy.yaml'];
/** Variables that are not the server's. */
const OF_OTHERS = ['NODE_ENV', 'PATH', 'MEMORY_DOMAIN'];
const KEY = Buffer.alloc(32, 7).toString('base64');
const DRAIN_SECONDS = 25;

type Variables = Record<string, string>;

interface ComposeService {
  command?: string[];
  environment?: Variables;
  env_file?: string;
  networks?: Record<string, { ipv4_address?: string }>;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  ulimits?: { nofile?: number };
  stop_grace_period?: string;
}

interface Compose {
  services: Record<string, ComposeService>;
  networks?: Record<string, { ipam: { config: { subnet: string }[] } }>;
}

interface Instruction {
  name: string;
  rest: string;
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function compose(file: string): Compose {
  return parse(read(`deploy/${file}`), { merge: true }) as Compose;
}

function service(file: string, name = 'memory'): ComposeService {
  const found = compose(file).services[name];
  if (!found) throw new Error(`${file} has no service ${name}`);
  return found;
}

/** Returns the instructions of the last stage, each on one line. */
function lastStage(): Instruction[] {
  const lines = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  return lines.slice(lines.findLastIndex((line) => line.startsWith('FROM '))).map((line) => {
    const [name = '', ...rest] = line.split(' ');
    return { name, rest: rest.join(' ') };
  });
}

function instruction(name: string): string {
  const found = lastStage().filter((each) => each.name === name);
  expect(found).toHaveLength(1);
  return found[0]?.rest ?? '';
}

function assignments(lines: readonly string[]): Variables {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

function settings(): Variables {
  return assignments(
    read('deploy/memory-server.env')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
}

/** Returns the variables of the image and of the settings, with what an operator fills in. */
function imageVariables(): Variables {
  return { ...assignments(instruction('ENV').split(/\s+/)), ...settings(), SERVICE_ENCRYPTION_KEYS: KEY };
}

function unit(): { section: string; name: string; value: string }[] {
  let section = '';
  return read('deploy/memory-server.service')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('[')) section = line;
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [{ section, name, value }];
    });
}

function unitValue(name: string): string {
  const found = unit().filter((each) => each.name === name);
  expect(found).toHaveLength(1);
  return found[0]?.value ?? '';
}

function programs(): string[] {
  const { bin } = JSON.parse(read('server/package.json')) as { bin: Variables };
  return Object.keys(bin);
}

describe('variables', () => {
  test.each<[string, () => string[]]>([
    ['Dockerfile', () => Object.keys(assignments(instruction('ENV').split(/\s+/)))],
    ['memory-server.env', () => Object.keys(settings())],
    ['memory-server.service', () => Object.keys(assignments(unitValue('Environment').split(' ')))],
    ...COMPOSE.map((file): [string, () => string[]] => [
      file,
      () => Object.values(compose(file).services).flatMap(({ environment = {} }) => Object.keys(environment)),
    ]),
  ])('%s sets only those that docs/configuration.md lists', (_, names) => {
    const listed = Array.from(read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` \|/gm), ([, name]) => name);

    expect(names().filter((name) => !listed.includes(name) && !OF_OTHERS.includes(name))).toEqual([]);
  });

  test('docs/deploy.md and docs/install.md name each file of deploy/', () => {
    const pages = `${read('docs/deploy.md')}${read('docs/install.md')}`;

    expect(readdirSync(join(ROOT, 'deploy')).filter((file) => !pages.includes(`../deploy/${file}`))).toEqual([]);
  });
});

describe('Dockerfile', () => {
  test('runs the server without root and a shell, with its data in one volume', () => {
    const config = readConfig(imageVariables());

    expect(instruction('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(programs()).toEqual(expect.arrayContaining(JSON.parse(instruction('CMD')) as string[]));
    expect(config).toMatchObject({ appEnv: 'production', host: '0.0.0.0', dataDir: instruction('VOLUME') });
    expect(String(config.port)).toBe(instruction('EXPOSE'));
  });

  test('checks readiness with a command that is a program and its arguments', () => {
    const command = instruction('HEALTHCHECK').split(' CMD ')[1] ?? '';

    expect(JSON.parse(command.trim())).toEqual(['node', '-e', expect.stringContaining('/health/ready')]);
  });

  test('copies the manifest of each workspace before the packages are installed', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    const [before = ''] = read('Dockerfile').split('RUN npm ci');

    expect(workspaces.filter((name) => !before.includes(`COPY ${name}/package.json ${name}/\n`))).toEqual([]);
  });
});

describe('compose files', () => {
  test('start a server that is configured, on either store', () => {
    const embedded = readConfig({ ...imageVariables(), ...service('compose.yaml').environment });
    const mongodb = readConfig({ ...imageVariables(), ...service('compose.mongodb.yaml').environment });

    expect(embedded.store.kind).toBe('sqlite');
    expect(mongodb.store.kind).toBe('mongodb');
  });

  test.each([
    ['compose.yaml', 'memory'],
    ['compose.mongodb.yaml', 'memory'],
    ['compose.mongodb.yaml', 'setup'],
  ])('%s gives %s no more than it needs', (file, name) => {
    const { env_file, read_only, cap_drop, security_opt, ulimits, volumes = [], tmpfs = [] } = service(file, name);

    expect({ env_file, read_only, cap_drop, security_opt }).toEqual({
      env_file: 'memory-server.env',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(ulimits?.nofile).toBeGreaterThanOrEqual(4_096);
    expect([...volumes.map((volume) => volume.split(':')[1]), ...tmpfs]).toEqual([instruction('VOLUME')]);
  });

  test.each(['compose.yaml', 'compose.mongodb.yaml'])(
    '%s opens the port to this machine alone, and waits for a stop',
    (file) => {
      const { ports = [], stop_grace_period = '' } = service(file);

      expect(ports.every((port) => port.startsWith('127.0.0.1:') && port.endsWith(`:${instruction('EXPOSE')}`))).toBe(
        true,
      );
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(DRAIN_SECONDS);
    },
  );

  test('compose.mongodb.yaml prepares the database with a program of the image', () => {
    expect(programs()).toEqual(expect.arrayContaining(service('compose.mongodb.yaml', 'setup').command ?? []));
  });

  test('compose.caddy.yaml trusts the address of Caddy, which is in its network, and no other', () => {
    const { networks } = compose('compose.caddy.yaml');
    const { environment } = service('compose.caddy.yaml');
    const address = service('compose.caddy.yaml', 'caddy').networks?.default?.ipv4_address ?? '';
    const publicUrl = environment?.SERVICE_PUBLIC_URL?.replace(/\$\{.*\}/, 'memory.example.com') ?? '';
    const { trustedProxies } = readConfig({ ...imageVariables(), ...environment, SERVICE_PUBLIC_URL: publicUrl });

    expect(networks?.default?.ipam.config[0]?.subnet).toBe(address.replace(/\.\d+$/, '.0/24'));
    expect(clientAddress(trustedProxies, address, '203.0.113.9')).toBe('203.0.113.9');
    const gateway = address.replace(/\.\d+$/, '.1');
    expect(clientAddress(trustedProxies, gateway, '203.0.113.9')).toBe(gateway);
  });

  test('the Caddyfile sends requests to the service and the port of the image', () => {
    expect(read('deploy/Caddyfile')).toContain(`dynamic a memory ${instruction('EXPOSE')} {`);
  });
});

describe('memory-server.service', () => {
  test('starts a program of the package, as a user of its own, with its data in the folder of its state', () => {
    const variables = assignments(unitValue('Environment').split(' '));
    const { appEnv, dataDir } = readConfig({ ...settings(), ...variables, SERVICE_ENCRYPTION_KEYS: KEY });

    expect(programs()).toContain(unitValue('ExecStart').split('/').at(-1));
    expect({ appEnv, dataDir }).toEqual({ appEnv: 'production', dataDir: `/var/lib/${unitValue('StateDirectory')}` });
    expect(unitValue('User')).not.toBe('root');
  });

  test('may open enough files, restarts after a failure, and waits for requests at a stop', () => {
    expect(Number(unitValue('LimitNOFILE'))).toBeGreaterThanOrEqual(4_096);
    expect(unitValue('Restart')).toBe('on-failure');
    expect(Number(unitValue('TimeoutStopSec'))).toBeGreaterThan(DRAIN_SECONDS);
  });

  test('may write to the folder of its state alone', () => {
    expect([unitValue('ProtectSystem'), unitValue('NoNewPrivileges')]).toEqual(['strict', 'yes']);
  });
});
