import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns what axe-core finds wrong with a page in its present state: one line for each element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: injected } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await injected.run(document);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}
