import type { MemoryCounts } from '@memory-service/sdk';
import { splitControls } from '../../kit/display/visible-controls.js';

/** Metadata keys that the page counts by. */
export const FACETS = [
  { key: 'source', title: 'Source' },
  { key: 'kind', title: 'Kind' },
  { key: 'project', title: 'Project' },
] as const;

type Value = NonNullable<MemoryCounts['values']>[number]['value'];

/** Longer names do not fit into a legend. */
const LONGEST_NAME = 40;

/** Returns a value of a facet as the name of a series. Its control characters are symbols. */
export function nameOf(value: Value): string {
  if (value === null) return 'null';
  const name = splitControls(String(value).slice(0, LONGEST_NAME))
    .map((part) => (typeof part === 'string' ? part : part.symbol))
    .join('');
  return String(value).length > LONGEST_NAME ? `${name}…` : name;
}
