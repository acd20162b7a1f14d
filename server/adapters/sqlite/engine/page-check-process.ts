import { Connection } from './connection.js';
import { isDamage } from './errors.js';
import { type PageReport, pageFault, tablesOf } from './page-check.js';

/** Runs in a separate process: checks one table after the other, and reports the result of each. */
const [path = ''] = process.argv.slice(2);
let table = 'sqlite_schema';
try {
  const connection = new Connection(path, { readOnly: true });
  const tables = tablesOf(connection);
  report({ tables: tables.length });
  for (table of tables) {
    // If not connected, the service has ended.
    if (!process.connected) break;
    const finding = pageFault(connection, table);
    report({ table, ...(finding !== undefined && { finding }) });
    if (finding !== undefined) break;
  }
} catch (error) {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (isDamage(cause)) report({ table, finding: (cause as Error).message });
} finally {
  if (process.connected) process.disconnect();
}

function report(message: PageReport): void {
  process.send?.(message);
}
