import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Files that a start has open at once while it loads its modules, threads and store: some 160. */
const LEAST = 256;
/** Enough for every connection that the service accepts at its default bounds. */
const ENOUGH = 4_096;

/**
 * Runs a program if the process may open enough files. If not, says so and sets the exit code.
 *
 * Loading modules without enough files fails with "Cannot find package", so this comes before any other module.
 */
export async function withOpenFiles(program: () => Promise<unknown>): Promise<void> {
  if (mayOpen(LEAST)) {
    await program();
    return;
  }
  console.error(
    `This process may open too few files: it needs at least ${LEAST}, and ${ENOUGH} to serve many connections. ` +
      `Run "ulimit -n ${ENOUGH}" in the shell that starts it. For a systemd unit, set LimitNOFILE=${ENOUGH}; for a ` +
      `container, start it with "--ulimit nofile=${ENOUGH}".`,
  );
  process.exitCode = 1;
}

function mayOpen(count: number): boolean {
  const file = fileURLToPath(import.meta.url);
  const open: number[] = [];
  try {
    while (open.length < count) open.push(openSync(file, 'r'));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EMFILE';
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}
