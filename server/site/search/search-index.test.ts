import { expect, test } from 'vitest';
import { type IndexEntry, SearchIndex } from './search-index.js';

const ENTRIES: IndexEntry[] = [
  entry('Client', 'Client', 'One class. Retries and webhooks are explained below.'),
  entry('Client', 'Retries', 'A call that is safe to repeat is sent again.'),
  entry('Outbound webhooks', 'Outbound webhooks', 'Deliveries of changes.'),
  entry(
    'Configuration',
    'Variables',
    `${'Much else. '.repeat(40)}SERVICE_DATA_DIR names the folder. ${'And more. '.repeat(40)}`,
  ),
];
const index = new SearchIndex(ENTRIES);

test.each([
  ['retries', 'Retries'],
  ['RETR', 'Retries'],
  ['webhooks', 'Outbound webhooks'],
  ['webhook delivery changes', 'Outbound webhooks'],
  ['service_data_dir', 'Variables'],
  ['again safe', 'Retries'],
])('%s finds %s first', (query, heading) => {
  expect(index.find(query, 3)[0]?.entry.heading).toBe(heading);
});

test('a plural finds the singular', () => {
  const singular = new SearchIndex([entry('Page', 'Rotate a token', 'Text.')]);

  expect(singular.find('tokens', 3)).toHaveLength(1);
});

test.each(['', '  ', '?!', 'nothingofthekind'])('%j finds nothing', (query) => {
  expect(index.find(query, 3)).toEqual([]);
});

test('returns at most the limit', () => {
  expect(index.find('e', 10).length).toBeLessThanOrEqual(ENTRIES.length);
  expect(index.find('webhooks retries', 1)).toHaveLength(1);
});

test('shows the text around the word', () => {
  const [hit] = index.find('the service_data_dir', 1);

  expect(hit?.excerpt).toMatch(/^….*SERVICE_DATA_DIR names the folder\..*…$/);
  expect(hit?.excerpt.length).toBeLessThan(170);
});

function entry(page: string, heading: string, text: string): IndexEntry {
  return { page, address: `${page}.html`, heading, text };
}
