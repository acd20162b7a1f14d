import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take many times as long as others, the longest first. */
const LONGEST = [
  'server/adapters/mongo/store.mongodb.test.ts',
  'server/durability/power-loss.test.ts',
  'server/process.test.ts',
  'server/inbound-crash.test.ts',
  'server/adapters/sqlite/index-history.test.ts',
  'conformance/this-service.test.ts',
  'conformance/checks.test.ts',
  'conformance/run.test.ts',
  'server/outbound-process.test.ts',
  'server/app/access-matrix.test.ts',
  'server/app/every-operation.test.ts',
  'server/app/fuzz.test.ts',
  'server/adapters/mongo/vector-search.mongodb.test.ts',
  'server/adapters/mongo/faults.mongodb.test.ts',
];

/** Runs them first, so that none of them is left over when the other workers have nothing more to do. */
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
