import type { Page } from 'playwright-core';

/** Opens a menu and chooses an item, by keyboard. */
export async function chooseFromMenu(page: Page, button: string, item: string): Promise<void> {
  await page.getByRole('button', { name: button }).press('Enter');
  await page.getByRole('menuitem', { name: item, exact: true }).press('Enter');
}
