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
const MAX_NAME_LENGTH = 32;

/** Returns names of series for values of a facet, all different. Their control characters are symbols. */
export function namesOf(values: readonly { value: Value }[]): string[] {
  const names: string[] = [];
  for (const { value } of values) {
    const name = nameOf(String(value));
    const same = names.filter((other) => other === name || other.startsWith(`${name} (`)).length;
    names.push(same === 0 ? name : `${name} (${same + 1})`);
  }
  return names;
}

function nameOf(value: string): string {
  const name = splitControls(value.slice(0, MAX_NAME_LENGTH))
    .map((part) => (typeof part === 'string' ? part : part.symbol))
    .join('');
  return value.length > MAX_NAME_LENGTH ? `${name}…` : name;
}
