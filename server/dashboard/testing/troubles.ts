import type { Page } from 'playwright-core';

/** The message of the browser about each failed answer. The answer itself is recorded. */
const OF_AN_ANSWER = /^Failed to load resource: the server responded with a status of/;

/**
 * Records what a page must not do: errors in its console, violations of its policy, requests to other origins, and
 * requests that fail. Each entry is one line.
 */
export function recordTroubles(page: Page, origin: string): string[] {
  const troubles: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !OF_AN_ANSWER.test(text)) troubles.push(`console: ${text}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) troubles.push(`request elsewhere: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // A page that is left stops its reads.
    if (reason !== 'net::ERR_ABORTED') troubles.push(`${reason} ${request.method()} ${pathOf(request.url())}`);
  });
  page.on('response', (response) => {
    const { status, method, url } = {
      status: response.status(),
      method: response.request().method(),
      url: response.url(),
    };
    if (status >= 400) troubles.push(`${status} ${method} ${pathOf(url)}`);
  });
  return troubles;
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
