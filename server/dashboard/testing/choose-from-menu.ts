import type { Page } from 'playwright-core';

/** Opens a menu and chooses an item, by keyboard. */
export async function chooseFromMenu(page: Page, button: string, item: string): Promise<void> {
  await page.getByRole('button', { name: button }).press('Enter');
  // A menu moves the focus to its first item just after it has opened.
  await page.locator('[role=menuitem]:focus').waitFor();
  await page.getByRole('menuitem', { name: item, exact: true }).press('Enter');
}
