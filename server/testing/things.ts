import type { SentHeaders } from './http-client.js';
import type { TestApp } from './test-app.js';

/** Something that a path can name: how an organization gets one, and how it is done away with. */
interface Kind {
  make(send: Send): Promise<string>;
  remove(send: Send, id: string): Promise<unknown>;
}

/** Sends a request as an owner of one organization. */
export type Send = (method: string, path: string, body?: unknown) => ReturnType<TestApp['send']>;

let made = 0;

function unique(): string {
  made += 1;
  return `number ${made}`;
}

function created(collection: string, body: () => object): Kind {
  return {
    async make(send) {
      const { body: answer } = await send('POST', collection, body());
      return String(answer.id);
    },
    remove: (send, id) => send('DELETE', `${collection}/${id}`),
  };
}

const MEMBERS = '/api/organization/members';
const INVITATIONS = '/api/organization/invitations';

const MEMBER: Kind = {
  async make(send) {
    const email = `${unique().replace(' ', '-')}@example.test`;
    const { body } = await send('POST', INVITATIONS, { email, role: 'member' });
    const token = String(body.link).split('/').pop();
    const accepted = await send('POST', '/api/invitations/accept', { token, email, password: 'a long secret phrase' });
    return (accepted.body.user as { id: string }).id;
  },
  remove: (send, id) => send('DELETE', `${MEMBERS}/${id}`),
};

/** By the part of the path that stands before the id. */
const KINDS: Readonly<Record<string, Kind>> = {
  '/api/memories': created('/api/memories', () => ({ content: `a memory, ${unique()}` })),
  '/api/organization/tokens': created('/api/organization/tokens', () => ({ name: 't', abilities: ['memory:search'] })),
  [MEMBERS]: MEMBER,
  [INVITATIONS]: created(INVITATIONS, () => ({ email: `${unique().replace(' ', '-')}@example.test`, role: 'member' })),
  '/api/organization/inbound-webhooks': created('/api/organization/inbound-webhooks', () => ({
    kind: 'codehost',
    name: unique(),
  })),
  '/api/organization/outbound-webhooks': created('/api/organization/outbound-webhooks', () => ({
    url: 'https://example.com/hook',
    events: ['memory.ingested'],
  })),
};

/**
 * What the first id in a path of the document names.
 *
 * @throws for a path that this file was not taught: whatever can be named must be part of the matrix
 */
export function kindOf(path: string): Kind {
  const collection = path.slice(0, path.indexOf('/{'));
  const kind = KINDS[collection];
  if (!kind) throw new Error(`teach ${import.meta.url} how to make what is in ${collection}`);
  return kind;
}

/** A way to send with a token of one's own. */
export function sendingAs(app: TestApp, token: string): Send {
  const headers: SentHeaders = { authorization: `Bearer ${token}` };
  return (method, path, body) => app.send(method, path, body, headers);
}
