import type { Check } from './check.js';
import { ingestChecks } from './checks/ingest.js';

/** Every check, in the order of the specification. */
export const catalogue: readonly Check[] = [...ingestChecks];

/** The checks that a run was asked for. */
export function selectChecks({
  sections,
  checks,
}: {
  sections: readonly string[];
  checks: readonly string[];
}): readonly Check[] {
  return catalogue.filter(
    ({ id, section }) =>
      (sections.length === 0 || sections.some((wanted) => section === wanted || section.startsWith(`${wanted}.`))) &&
      (checks.length === 0 || checks.includes(id)),
  );
}
