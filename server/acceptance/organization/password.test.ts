import { describe, expect, test } from 'vitest';
import { UnauthenticatedError } from '../../errors.js';
import { signIn } from '../../services/access/sessions.js';
import { browser, PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import { member, testApp } from '../../testing/app/test-app.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';

const PATH = '/api/session';

describe('changePassword', () => {
  const NEW = 'quite another phrase';

  test('ends the other sessions and keeps the one that changes the password', async () => {
    const app = await testApp();
    const somebody = await person(app, 'readonly');
    const here = browser(app, await signedIn(app, somebody));
    const there = browser(app, await signedIn(app, somebody));

    const changed = await here('PUT', `${PATH}/password`, { currentPassword: PASSWORD, newPassword: NEW });
    const signIn = (password: string) =>
      app.send('POST', PATH, { email: somebody.email, password }, { authorization: undefined });

    expect(changed.status).toBe(204);
    expect([(await here('GET', PATH)).status, (await there('GET', PATH)).status]).toEqual([200, 401]);
    expect([(await signIn(PASSWORD)).status, (await signIn(NEW)).status]).toEqual([401, 201]);
  });

  test('rejects a sign-in with the former password that was under way during the change', async () => {
    const app = await testApp();
    const somebody = await person(app, 'member');
    const here = browser(app, await signedIn(app, somebody));
    const change = () => here('PUT', `${PATH}/password`, { currentPassword: PASSWORD, newPassword: NEW });
    const { accounts } = app.deps.store;
    const createSession: typeof accounts.createSession = async (...given) => {
      expect(await change()).toMatchObject({ status: 204 });
      return accounts.createSession(...given);
    };
    const store = replaceMethods(app.deps.store, { accounts: replaceMethods(accounts, { createSession }) });

    const late = signIn({ ...app.deps, store }, { email: somebody.email, password: PASSWORD }, {});

    await expect(late).rejects.toThrow(UnauthenticatedError);
    expect((await here('GET', PATH)).status).toBe(200);
  });

  test('accepts the current password for one change only', async () => {
    const app = await testApp();
    const somebody = await person(app, 'member');
    const browsers = [browser(app, await signedIn(app, somebody)), browser(app, await signedIn(app, somebody))];

    const answers = await Promise.all(
      browsers.map((send, i) =>
        send('PUT', `${PATH}/password`, { currentPassword: PASSWORD, newPassword: `${NEW} ${i}` }),
      ),
    );

    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, expect.toBeOneOf([401, 422])]);
    const first = statuses.indexOf(204);
    const again = { email: somebody.email, password: `${NEW} ${first}` };
    expect((await app.send('POST', PATH, again, { authorization: undefined })).status).toBe(201);
  });

  test.each<[unknown, string]>([
    [{ newPassword: NEW }, 'currentPassword'],
    [{ currentPassword: 'something else', newPassword: NEW }, 'currentPassword'],
    [{ currentPassword: PASSWORD, newPassword: 'elevenchars' }, 'newPassword'],
    [{ currentPassword: PASSWORD, newPassword: 'x'.repeat(257) }, 'newPassword'],
  ])('rejects %j with 422', async (body, path) => {
    const app = await testApp();
    const send = browser(app, await signedIn(app, await person(app, 'member')));

    expect(await send('PUT', `${PATH}/password`, body)).toMatchObject({ status: 422, body: { details: [{ path }] } });
  });

  test('lets a token set the first password of its user, but not change one', async () => {
    const app = await testApp();
    const { headers, email } = await member(app, 'owner', ['settings:admin']);

    const first = await app.send('PUT', `${PATH}/password`, { newPassword: PASSWORD }, headers);
    const second = await app.send('PUT', `${PATH}/password`, { newPassword: NEW }, headers);
    const body = { email, password: PASSWORD };

    expect([first.status, second.status]).toEqual([204, 422]);
    expect((await app.send('POST', PATH, body, { authorization: undefined })).status).toBe(201);
  });
});
