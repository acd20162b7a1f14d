import { v7 } from 'uuid';
import type { Attacker } from './attacker.js';

export const PASSWORD = 'a long and secret phrase';

interface Person {
  email: string;
  cookie: string;
  csrfToken: string;
}

/** Adds a person to the first organization of an attack by an invitation, and signs them in. */
export async function person(attacker: Attacker, role: 'member' | 'readonly', from?: string): Promise<Person> {
  const email = `${role}-${v7()}@abuse.test`;
  const invited = await attacker.must('POST', '/api/organization/invitations', { body: { email, role } });
  const token = new URL(String(invited.body.link), 'http://localhost').pathname.split('/').at(-1);
  const open = { token: null, ...(from !== undefined && { from }) };
  await attacker.must('POST', '/api/invitations/accept', { ...open, body: { token, email, password: PASSWORD } });
  const signedIn = await attacker.must('POST', '/api/session', { ...open, body: { email, password: PASSWORD } });
  const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
  return { email, cookie: cookie.split(';')[0] ?? '', csrfToken: String(signedIn.body.csrfToken) };
}
