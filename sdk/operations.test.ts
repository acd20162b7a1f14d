import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { MemoryClient } from './client.js';
import { METHODS, REPEATS, UNBOUND } from './operations.js';

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
}

interface Operation {
  operationId: string;
  requestBody?: unknown;
  parameters?: Parameter[];
  /** Alternatives, each with all the schemes that it needs. */
  security: Record<string, string[]>[];
}

interface Described {
  operationId: string;
  verb: string;
  path: string;
  takesBody: boolean;
  /** The body, or the parameters of the query. */
  takesInput: boolean;
  schemes: string[][];
}

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];
const BASE_URL = 'http://memory.test';
/** Security scheme → its header. */
const PLACES: Readonly<Record<string, string>> = { bearer: 'Authorization', session: 'Cookie', csrf: 'X-CSRF-Token' };
const document = parse(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8'));
const described = describeOperations(document.paths);
const bound: Readonly<Record<string, string>> = METHODS;

describe('the operations of openapi.yaml', () => {
  test('each have a method, or a reason why they have none', () => {
    const names = described.map(({ operationId }) => operationId);

    expect([...Object.keys(REPEATS), ...Object.keys(UNBOUND)].sort()).toEqual(names.sort());
  });

  test.each(described.filter(({ operationId }) => operationId in bound))(
    '$operationId is sent by its method, whose arguments are ids, then body or query, then options',
    async ({ operationId, verb, path, takesBody, takesInput }) => {
      const requests: Request[] = [];
      const client = new MemoryClient({
        baseUrl: BASE_URL,
        token: 'msk_test',
        fetch: async (input, init) => {
          requests.push(new Request(input, init));
          return Response.json({});
        },
      });
      const ids = [...path.matchAll(/\{(\w+)\}/g)].map((_, index) => `id-${index}`);
      const body = { sent: operationId };
      const headers = { 'X-Option': 'given' };
      const method = bound[operationId]!;

      await methodOf(client, method)(...ids, ...(takesInput ? [body] : []), { headers });

      const [request] = requests;
      expect(requests).toHaveLength(1);
      expect([request!.method, new URL(request!.url).pathname]).toEqual([verb.toUpperCase(), filled(path, ids)]);
      expect(request!.headers.get('X-Option')).toBe('given');
      if (takesBody) expect(await request!.json()).toEqual(body);
    },
  );
});

describe('the credentials', () => {
  test.each(described.filter(({ operationId }) => operationId in bound))(
    'of $operationId are those of openapi.yaml',
    async ({ operationId, path, takesInput, schemes }) => {
      const shown: string[][] = [];
      const client = new MemoryClient({
        baseUrl: BASE_URL,
        token: 'msk_test',
        fetch: async (input, init) => {
          const { headers } = new Request(input, init);
          shown.push(Object.keys(PLACES).filter((scheme) => headers.has(PLACES[scheme]!)));
          return Response.json({ csrfToken: 'csrf-1' }, { headers: { 'Set-Cookie': 'memory_session=a' } });
        },
      });
      const ids = [...path.matchAll(/\{/g)].map((_, index) => `id-${index}`);
      const call = () => methodOf(client, bound[operationId]!)(...ids, ...(takesInput ? [{}] : []));

      await call();
      await client.session.signIn({ email: 'ana@example.test', password: 'secret' });
      await call();

      const ofToken = schemes.find((names) => names.includes('bearer')) ?? [];
      const ofSession = schemes.find((names) => names.includes('session')) ?? [];
      expect(shown).toEqual([ofToken, [], ofSession]);
    },
  );
});

describe('docs/sdk.md', () => {
  const text = readFileSync(new URL('../docs/sdk.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| '));

  test.each(Object.values(METHODS))('lists %s', (method) => {
    const [verb, namespace] = method.split('.').toReversed();
    const start = namespace === undefined ? '| the client itself |' : `| \`${namespace}\` |`;

    expect(rows.find((row) => row.startsWith(start))).toContain(`\`${verb}\``);
  });

  test('marks exactly the operations that are not retried after a lost response', () => {
    const listed = rows
      .filter((row) => row.includes('| no |'))
      .flatMap((row) => row.split('|')[1]?.match(/[\w.]+/g) ?? []);
    const once = Object.entries(REPEATS)
      .filter(([, repeat]) => repeat === 'refused' || repeat === 'never')
      .map(([operationId]) => bound[operationId]);

    expect(listed.sort()).toEqual([...once].sort());
  });
});

test('VERSION equals the version of the package', async () => {
  const { VERSION } = await import('./version.js');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

  expect(VERSION).toBe(version);
});

function describeOperations(paths: Record<string, Record<string, Operation>>): Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    VERBS.flatMap((verb) => {
      const operation = item[verb];
      if (!operation) return [];
      const takesBody = operation.requestBody !== undefined;
      const takesInput = takesBody || (operation.parameters ?? []).some(isOfQuery);
      const schemes = operation.security.map((needed) => Object.keys(needed));
      return [{ operationId: operation.operationId, verb, path, takesBody, takesInput, schemes }];
    }),
  );
}

function isOfQuery(parameter: Parameter): boolean {
  const name = parameter.$ref?.split('/').at(-1);
  const { in: place } = name === undefined ? parameter : document.components.parameters[name];
  return place === 'query';
}

/** Returns the method of a name such as `tokens.create`, bound to its object. */
function methodOf(client: MemoryClient, name: string): (...args: unknown[]) => Promise<unknown> {
  const steps = name.split('.');
  const owner = steps.slice(0, -1).reduce<object>((object, step) => Reflect.get(object, step), client);
  return (...args) => Reflect.get(owner, steps.at(-1)!).apply(owner, args);
}

function filled(path: string, ids: readonly string[]): string {
  return ids.reduce((sofar, id) => sofar.replace(/\{\w+\}/, id), path);
}
