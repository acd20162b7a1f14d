import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import type { Role } from '../../domain/account/role.js';
import { PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import type { TestApp } from '../../testing/app/test-app.js';
import { findChromium } from '../../testing/processes/chromium.js';
import { USUAL_VIEW } from './screenshots.js';
import { recordTroubles } from './troubles.js';

interface OpenOptions {
  /** Signs in as a new member with this role first. Without it, nobody is signed in. */
  as?: Role;
  /** Path that is opened. `:organization` stands for the organization of the app. Default: `/`. */
  path?: string;
  /** Failed answers that the test provokes, such as `401 GET /api/session`. */
  expected?: readonly string[];
}

export interface Opened {
  page: Page;
  context: BrowserContext;
  /** Who is signed in, or undefined. */
  email: string | undefined;
}

/** Opens a page of an app in a profile of its own. The test fails if the page has troubles that it does not expect. */
export type OpenPage = (app: TestApp, options?: OpenOptions) => Promise<Opened>;

/** The password of everybody who is signed in. */
export { PASSWORD };

/** Guards against a hang. */
const TIMEOUT_MS = 60_000;

const executablePath = findChromium();
if (executablePath === undefined) {
  console.error('NO CHROMIUM, AND SO THE TESTS OF THE DASHBOARD IN A BROWSER ARE SKIPPED: install chromium');
}

/** A group of tests that share a browser. */
export function describeInBrowser(name: string, define: (open: OpenPage) => void): void {
  describe.skipIf(executablePath === undefined)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({
        ...(executablePath !== undefined && { executablePath }),
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
    });
    afterAll(() => browser.close());

    define(async (app, { as, path = '/', expected = [] } = {}) => {
      const origin = `http://127.0.0.1:${app.port}`;
      const context = await browser.newContext({ baseURL: origin, ...(USUAL_VIEW && { viewport: USUAL_VIEW }) });
      context.setDefaultTimeout(TIMEOUT_MS);
      onTestFinished(() => context.close());
      const email = as && (await signIn(app, context, as));
      const page = await context.newPage();
      const troubles = recordTroubles(page, origin);
      onTestFinished(() => expect(troubles.filter((trouble) => !expected.includes(trouble))).toEqual([]));
      await page.goto(path.replace(':organization', app.organizationId));
      return { page, context, email };
    });
  });
}

async function signIn(app: TestApp, context: BrowserContext, role: Role): Promise<string> {
  const { userId, email } = await person(app, role);
  const { cookie } = await signedIn(app, { userId, email });
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Lax' }]);
  return email;
}
