import { v7 } from 'uuid';
import { openSqliteStore } from '../../adapters/sqlite/store.js';
import { anOrganization, insertInto } from '../fixtures/memories.js';

/**
 * Writes memories into a data folder, eight writers at once, without end, and prints each id after its commit. Tests
 * start it as a process and kill it.
 *
 * Arguments: the data folder, and the number of pages after which the log is copied.
 */
const [dataDir = '', pages] = process.argv.slice(2);
const opened = await openSqliteStore({ dataDir, logPages: pages === undefined ? undefined : Number(pages) });
const [known] = await opened.accounts.organizationIds();
const organizationId = known ?? (await anOrganization(opened));
process.stdout.write(`organization ${organizationId}\n`);

async function write(): Promise<never> {
  for (;;) {
    const id = v7();
    await opened.transact(organizationId, async (unit) => {
      await insertInto(unit, { id, content: `durable ${id}`, metadata: { kind: 'x' } });
      await unit.countIngest('2024-05', 1);
    });
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, write));
