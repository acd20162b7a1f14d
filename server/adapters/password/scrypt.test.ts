import { createHook } from 'node:async_hooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Owner, ShareExceededError } from '../../domain/fairness/owner.js';
import { WorkThreads } from '../threads/work-threads.js';
import { workerFile } from '../threads/worker-file.js';
import { deriveKey, type KeyOrder } from './derive-key.js';
import { type DeriveKey, hashPassword, PASSWORD_COST, verifyPassword } from './scrypt.js';
import { ScryptPasswords } from './scrypt-passwords.js';

const CHEAP = { N: 2, p: 1 };
const PASSWORD = 'a long and secret phrase';
const derive: DeriveKey = async (order) => deriveKey(order);

describe('hashPassword', () => {
  test('hides the password, and that two passwords are equal', async () => {
    const [one, other] = [await hashPassword(PASSWORD, CHEAP, derive), await hashPassword(PASSWORD, CHEAP, derive)];

    expect(one).toMatch(/^scrypt\$2\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toBe(other);
  });

  test('uses the cost that OWASP recommends by default', () => {
    expect(PASSWORD_COST).toEqual({ N: 32_768, p: 3 });
  });
});

describe('verifyPassword', () => {
  test('accepts only the password that was hashed', async () => {
    const hash = await hashPassword(PASSWORD, CHEAP, derive);

    expect(await verifyPassword(PASSWORD, hash, CHEAP, derive)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, hash, CHEAP, derive)).toBe(false);
    expect(await verifyPassword('', hash, CHEAP, derive)).toBe(false);
  });

  test('accepts the same characters in another Unicode form', async () => {
    const hash = await hashPassword('caf\u00e9 with a view', CHEAP, derive);

    expect(await verifyPassword('cafe\u0301 with a view', hash, CHEAP, derive)).toBe(true);
  });

  test('uses the cost that the hash was made with', async () => {
    const hash = await hashPassword(PASSWORD, { N: 4, p: 2 }, derive);

    expect(await verifyPassword(PASSWORD, hash, CHEAP, derive)).toBe(true);
  });

  test.each([undefined, '', 'scrypt$2$1$x', 'plain text'])('rejects any password if the hash is %j', async (hash) => {
    expect(await verifyPassword(PASSWORD, hash, CHEAP, derive)).toBe(false);
  });
});

describe('ScryptPasswords', () => {
  const address = (id: string): Owner => ({ kind: 'address', id });

  test('rejects requests beyond the queue of one address, and completes the queued ones', async () => {
    const passwords = new ScryptPasswords(CHEAP, derive);

    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => passwords.hash(PASSWORD, address('a'))));

    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).toEqual(Array(15).fill(new ShareExceededError('passwords', 'address', 4)));
    const hash = await passwords.hash(PASSWORD, address('a'));
    expect(await passwords.verify(PASSWORD, hash, address('a'))).toBe(true);
  });

  test('hashes in its own threads, not in those used for files', async () => {
    const threads = new WorkThreads<KeyOrder, Uint8Array>(workerFile('password/password-worker'), 1);
    onTestFinished(() => threads[Symbol.asyncDispose]());
    const passwords = new ScryptPasswords(CHEAP, (order) => threads.ask(order));
    const pooled: string[] = [];
    const hook = createHook({ init: (_, type) => void pooled.push(type) }).enable();

    const hash = await passwords.hash(PASSWORD, address('a'));
    hook.disable();

    expect(pooled).not.toContain('SCRYPTREQUEST');
    expect(await verifyPassword(PASSWORD, hash, CHEAP, derive)).toBe(true);
  });

  test('serves other addresses and people while the queue of one address is full', async () => {
    const passwords = new ScryptPasswords(CHEAP, derive);
    const flood = Array.from({ length: 20 }, () => passwords.hash(PASSWORD, address('flood')));
    const others = [address('other'), { kind: 'person', id: 'member' }].map((asker) => passwords.hash(PASSWORD, asker));

    const [asked, served] = [await Promise.allSettled(flood), await Promise.allSettled(others)];

    expect(asked.map(({ status }) => status)).toContain('rejected');
    expect(served.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });
});
