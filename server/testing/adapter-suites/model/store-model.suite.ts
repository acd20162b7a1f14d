import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../ports/store.js';
import { anOrganization } from '../../fixtures/memories.js';
import { STEP } from '../search/arbitrary-filters.js';
import type { StoreOpening } from '../store.suite.js';
import { MemoryModel } from './memory-model.js';
import { compare, questions } from './model-questions.js';
import { apply, type Unit, units, writeOf } from './model-steps.js';

/** Compares random writes and failures, and every kind of read, with a model that scans everything. */
export function modelSuite(name: string, { openEmpty, reopen, modelRuns = 60 }: StoreOpening): void {
  describe(`${name}: model`, () => {
    test('returns the same as a scan of every memory', { timeout: 120_000 }, async () => {
      let wall = STEP;
      let tested = await openEmpty({ now: () => wall });

      const property = fc.asyncProperty(
        fc.array(fc.tuple(units, questions), { minLength: 1, maxLength: 6 }),
        async (rounds) => {
          const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
          const [model, otherModel] = [new MemoryModel(), new MemoryModel()];
          for (const [unit, question] of rounds) {
            wall += STEP;
            if (question.restarts && reopen) tested = await reopen(tested);
            if (unit.announces) await tested.preparePending?.(organizationId);
            await play(tested, organizationId, model, unit);
            await play(tested, other, otherModel, unit);
            await compare(tested, organizationId, model, question, wall);
          }
        },
      );

      // Before the time limit of the test, so that a counterexample is shown also if its reduction takes long.
      await fc.assert(property, { numRuns: modelRuns, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true });
    });
  });
}

async function play(tested: Store, organizationId: string, model: MemoryModel, unit: Unit): Promise<void> {
  const before = model.copy();
  const running = tested.transact(organizationId, async (work) => {
    if (unit.announces) await work.expect?.({ writes: unit.steps.flatMap(writeOf), ids: everyOtherId(model) });
    for (const step of unit.steps) await apply(work, model, step);
    expect(await work.storedBytes()).toBe(model.activeBytes);
    if (unit.fails) throw new Error('on purpose');
  });
  if (!unit.fails) return running;
  await expect(running).rejects.toThrow('on purpose');
  model.become(before);
}

function everyOtherId(model: MemoryModel): string[] {
  return ['unknown', ...model.stored.keys()].filter((_, n) => n % 2 === 0);
}
