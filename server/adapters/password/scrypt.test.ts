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
  test('hides the password, and two that are equal', async () => {
    const [one, other] = [await hashPassword(PASSWORD, CHEAP, derive), await hashPassword(PASSWORD, CHEAP, derive)];

    expect(one).toMatch(/^scrypt\$2\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toBe(other);
  });

  test('costs what OWASP asks for, unless told otherwise', () => {
    expect(PASSWORD_COST).toEqual({ N: 32_768, p: 3 });
  });
});

describe('verifyPassword', () => {
  test('knows the password, and no other', async () => {
    const hash = await hashPassword(PASSWORD, CHEAP, derive);

    expect(await verifyPassword(PASSWORD, hash, CHEAP, derive)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, hash, CHEAP, derive)).toBe(false);
    expect(await verifyPassword('', hash, CHEAP, derive)).toBe(false);
  });

  test('takes the same characters typed in another way', async () => {
    const hash = await hashPassword('caf\u00e9 with a view', CHEAP, derive);

    expect(await verifyPassword('cafe\u0301 with a view', hash, CHEAP, derive)).toBe(true);
  });

  test('goes by the cost that a hash was made with', async () => {
    const hash = await hashPassword(PASSWORD, { N: 4, p: 2 }, derive);

    expect(await verifyPassword(PASSWORD, hash, CHEAP, derive)).toBe(true);
  });

  test.each([undefined, '', 'scrypt$2$1$x', 'plain text'])(
    'says no to any password where the hash is %j',
    async (hash) => {
      expect(await verifyPassword(PASSWORD, hash, CHEAP, derive)).toBe(false);
    },
  );
});

describe('ScryptPasswords', () => {
  const address = (id: string): Owner => ({ kind: 'address', id });

  test('turns away what would wait behind too many of one address, and goes on after them', async () => {
    const passwords = new ScryptPasswords(CHEAP, derive);

    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => passwords.hash(PASSWORD, address('a'))));

    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).toEqual(Array(15).fill(new ShareExceededError('passwords', 'address', 4)));
    const hash = await passwords.hash(PASSWORD, address('a'));
    expect(await passwords.verify(PASSWORD, hash, address('a'))).toBe(true);
  });

  test('hashes in threads, and none of those that the disk needs', async () => {
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

  test('serves other addresses and people while one address has its share waiting', async () => {
    const passwords = new ScryptPasswords(CHEAP, derive);
    const flood = Array.from({ length: 20 }, () => passwords.hash(PASSWORD, address('flood')));
    const others = [address('other'), { kind: 'person', id: 'member' }].map((asker) => passwords.hash(PASSWORD, asker));

    const [asked, served] = [await Promise.allSettled(flood), await Promise.allSettled(others)];

    expect(asked.map(({ status }) => status)).toContain('rejected');
    expect(served.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });
});
