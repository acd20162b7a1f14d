import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take much longer than others, longest first. */
const LONGEST = [
  'server/adapters/mongo/store.mongodb.test.ts',
  'server/durability/power-loss.test.ts',
  'conformance/main.test.ts',
  'server/dashboard/dashboard.browser.test.ts',
  'conformance/testing/checks.test.ts',
  'server/acceptance/processes/process.test.ts',
  'server/adapters/sqlite/vector-index/index-history.test.ts',
  'server/acceptance/processes/inbound-crash.test.ts',
  'server/acceptance/processes/import-purge-crash.test.ts',
  'server/services/writing/hostile-texts.test.ts',
  'server/acceptance/requests/every-operation.test.ts',
  'server/acceptance/requests/access-matrix.test.ts',
  'server/acceptance/memories/lifetimes.test.ts',
  'server/acceptance/memories/documents.test.ts',
  'server/acceptance/search/min-score.test.ts',
  'server/acceptance/processes/backup-process.test.ts',
  'server/acceptance/requests/fuzz.test.ts',
  'server/adapters/sqlite/store.test.ts',
  'server/adapters/sqlite/vector-index/scan/matrix.test.ts',
  'server/acceptance/processes/erasure-crash.test.ts',
  'server/acceptance/processes/outbound-process.test.ts',
  'server/acceptance/fairness/pages.test.ts',
  'server/adapters/mongo/vector-index/vector-search.mongodb.test.ts',
  'server/adapters/mongo/engine/faults.mongodb.test.ts',
];

/** Runs the longest files first, so that none of them still runs when the other workers are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

function place({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return at === -1 ? LONGEST.length : at;
}
