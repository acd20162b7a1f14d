import { Connection } from './connection.js';
import { isDamage } from './errors.js';
import { type PageReport, pageFault } from './page-check.js';

/** Without these nobody can sign in, nor anything be found; the largest come last. */
const ORDER = `CASE
  WHEN name IN ('organizations', 'identity', 'users', 'memberships', 'api_tokens', 'jobs') THEN 0
  WHEN name = 'memories' THEN 2 WHEN name = 'vectors' THEN 3 WHEN name IN ('facets', 'keywords_data') THEN 4
  ELSE 1 END`;

/** Runs in a process of its own: checks one table after the other, and says how each was found. */
const [path = ''] = process.argv.slice(2);
try {
  const connection = new Connection(path, { readOnly: true });
  const tables = connection.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY ${ORDER}, name`,
  );
  report({ tables: tables.length });
  for (const { name } of tables) {
    // The service has ended.
    if (!process.connected) break;
    const finding = pageFault(connection, name);
    report({ table: name, ...(finding !== undefined && { finding }) });
    if (finding !== undefined) break;
  }
} catch (error) {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (isDamage(cause)) report({ table: 'sqlite_schema', finding: (cause as Error).message });
} finally {
  if (process.connected) process.disconnect();
}

function report(message: PageReport): void {
  process.send?.(message);
}
