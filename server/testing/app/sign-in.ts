import type { Role } from '../../domain/account/role.js';
import type { Operation } from '../../http/contract/contract.js';
import { aUser } from '../fixtures/accounts.js';
import type { SentHeaders } from './http-client.js';
import type { TestApp } from './test-app.js';

export const PASSWORD = 'a long and secret phrase';

interface Person {
  userId: string;
  email: string;
}

/** Adds a member to the app's organization who can sign in with `PASSWORD`. */
export async function person({ deps, organizationId }: TestApp, role: Role): Promise<Person> {
  const user = aUser({ passwordHash: await deps.passwords.hash(PASSWORD, { kind: 'person', id: deps.newId() }) });
  await deps.store.transact(organizationId, async ({ accounts }) => {
    await accounts.insertUser(user);
    await accounts.insertMember({ userId: user.id, role, joinedAt: deps.now() });
  });
  return { userId: user.id, email: user.email };
}

/** Signs in, and returns the headers that the browser sends afterwards. */
export async function signedIn(app: TestApp, { email }: Person): Promise<{ cookie: string; 'x-csrf-token': string }> {
  const answer = await app.send('POST', '/api/session', { email, password: PASSWORD }, { authorization: undefined });
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  return { cookie: cookie.split(';')[0] ?? '', 'x-csrf-token': String(answer.body.csrfToken) };
}

/** Returns headers with the credential that an operation needs: a session of an owner, or nothing beside the token. */
export async function credentialFor(
  app: TestApp,
  operation: Pick<Operation, 'sessionOnly'> | undefined,
): Promise<SentHeaders> {
  if (!operation?.sessionOnly) return {};
  return { authorization: undefined, ...(await signedIn(app, await person(app, 'owner'))) };
}

/** Returns a function that sends requests with the headers of a session and without a token. */
export function browser(app: TestApp, headers: SentHeaders) {
  return (method: string, path: string, body?: unknown, more: SentHeaders = {}) =>
    app.send(method, path, body, { authorization: undefined, ...headers, ...more });
}
