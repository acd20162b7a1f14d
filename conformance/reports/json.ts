import { countByStatus, isConforming, type Run } from '../run/outcome.js';

/** Returns a run as JSON. */
export function renderJson(run: Run): string {
  const summary = { conforms: isConforming(run), ...countByStatus(run.outcomes) };
  return `${JSON.stringify({ summary, ...run }, null, 2)}\n`;
}
