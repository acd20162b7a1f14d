import type { OperationId } from '../data/abilities.js';
import type { lazyPage } from './lazy-page.js';

/** A page of the navigation. */
export interface Page {
  title: string;
  /** Pattern below the address of the organization, such as `/memories/:memoryId?`. Parameters are optional. */
  path: string;
  /** Keys that open it, such as `g m`. */
  keys: string;
  /** The page is for those who may use this operation. */
  needs: OperationId;
  /** True if the account menu leads to the page, and not the navigation. */
  isPersonal?: boolean;
  /** Loads the component when the page is opened. */
  component: ReturnType<typeof lazyPage>;
}

/** Returns the address of a page without its parameters. */
export function pathOf({ path }: Pick<Page, 'path'>): string {
  return path.replace(/\/:.*$/, '');
}
