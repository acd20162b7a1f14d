import { describe, expect, test } from 'vitest';
import { type Owner, ShareExceededError } from '../../domain/fairness/owner.js';
import { hashPassword, PASSWORD_COST, verifyPassword } from './scrypt.js';
import { ScryptPasswords } from './scrypt-passwords.js';

const CHEAP = { N: 2, p: 1 };
const PASSWORD = 'a long and secret phrase';

describe('hashPassword', () => {
  test('hides the password, and two that are equal', async () => {
    const [one, other] = [await hashPassword(PASSWORD, CHEAP), await hashPassword(PASSWORD, CHEAP)];

    expect(one).toMatch(/^scrypt\$2\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toBe(other);
  });

  test('costs what OWASP asks for, unless told otherwise', () => {
    expect(PASSWORD_COST).toEqual({ N: 32_768, p: 3 });
  });
});

describe('verifyPassword', () => {
  test('knows the password, and no other', async () => {
    const hash = await hashPassword(PASSWORD, CHEAP);

    expect(await verifyPassword(PASSWORD, hash, CHEAP)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, hash, CHEAP)).toBe(false);
    expect(await verifyPassword('', hash, CHEAP)).toBe(false);
  });

  test('takes the same characters typed in another way', async () => {
    const hash = await hashPassword('caf\u00e9 with a view', CHEAP);

    expect(await verifyPassword('cafe\u0301 with a view', hash, CHEAP)).toBe(true);
  });

  test('goes by the cost that a hash was made with', async () => {
    const hash = await hashPassword(PASSWORD, { N: 4, p: 2 });

    expect(await verifyPassword(PASSWORD, hash, CHEAP)).toBe(true);
  });

  test.each([undefined, '', 'scrypt$2$1$x', 'plain text'])(
    'says no to any password where the hash is %j',
    async (hash) => {
      expect(await verifyPassword(PASSWORD, hash, CHEAP)).toBe(false);
    },
  );
});

describe('ScryptPasswords', () => {
  const address = (id: string): Owner => ({ kind: 'address', id });

  test('turns away what would wait behind too many of one address, and goes on after them', async () => {
    const passwords = new ScryptPasswords(CHEAP);

    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => passwords.hash(PASSWORD, address('a'))));

    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).toEqual(Array(15).fill(new ShareExceededError('passwords', 'address', 4)));
    const hash = await passwords.hash(PASSWORD, address('a'));
    expect(await passwords.verify(PASSWORD, hash, address('a'))).toBe(true);
  });

  test('serves other addresses and people while one address has its share waiting', async () => {
    const passwords = new ScryptPasswords(CHEAP);
    const flood = Array.from({ length: 20 }, () => passwords.hash(PASSWORD, address('flood')));
    const others = [address('other'), { kind: 'person', id: 'member' }].map((asker) => passwords.hash(PASSWORD, asker));

    const [asked, served] = [await Promise.allSettled(flood), await Promise.allSettled(others)];

    expect(asked.map(({ status }) => status)).toContain('rejected');
    expect(served.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });
});
