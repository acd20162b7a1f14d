import type { Page } from 'playwright-core';
import type { Row } from '../table.js';

const KEYS = ['j', 'j', 'j', 'Enter', 'j', 'k', 'Escape', '?', 'Escape', 'Control+k', 'Escape'];
const PAGES = ['Search', 'API keys', 'Audit', 'Memories'];
/** The pause between two interactions, as of a person. */
const PAUSE_MS = 300;

/** Starts to record each key and click with the time until the next paint. The browser leaves out those under 16 ms. */
const RECORD = `globalThis.interactions = [];
new PerformanceObserver((list) => {
  for (const { interactionId, name, duration } of list.getEntries()) {
    if (interactionId > 0) globalThis.interactions.push({ name, duration });
  }
}).observe({ type: 'event', durationThreshold: 16 });`;

/** Uses the list of memories and other pages by keyboard and mouse. */
export async function measureInteractions(page: Page, organization: string): Promise<Row[]> {
  await page.goto(`${organization}/memories`);
  await page.locator('a[data-id]').first().waitFor();
  await page.evaluate(RECORD);
  for (const key of KEYS) {
    await page.keyboard.press(key);
    await page.waitForTimeout(PAUSE_MS);
  }
  await page.locator('a[data-id]').nth(2).click();
  await page.waitForTimeout(PAUSE_MS);
  for (const name of PAGES) {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click();
    await page.waitForTimeout(PAUSE_MS);
  }
  const recorded = await page.evaluate<{ name: string; duration: number }[]>('globalThis.interactions');
  const slowest = recorded.sort((one, other) => other.duration - one.duration).slice(0, 3);
  return [
    {
      what: `${KEYS.length + 1 + PAGES.length} interactions, from the key or click to the next paint`,
      value: `slowest ${slowest.map(({ name, duration }) => `${duration} ms (${name})`).join(', ')}`,
    },
  ];
}
