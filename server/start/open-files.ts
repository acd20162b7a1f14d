import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Number of open files below which the service does not start. A start opens about 160 at the same time. */
const MIN_FILES = 256;
/** Number of open files for all connections that the default bounds allow. */
const RECOMMENDED_FILES = 4_096;

/**
 * Runs a program if the process may open enough files. Otherwise prints an error and sets the exit code.
 *
 * Modules that are loaded without enough files fail with "Cannot find package", so this runs before any other module.
 */
export async function withOpenFiles(program: () => Promise<unknown>): Promise<void> {
  if (mayOpen(MIN_FILES)) {
    await program();
    return;
  }
  console.error(
    `This process may open too few files: it needs at least ${MIN_FILES}, and ${RECOMMENDED_FILES} for many ` +
      `connections. Run "ulimit -n ${RECOMMENDED_FILES}" in the shell that starts it. For a systemd unit, set ` +
      `LimitNOFILE=${RECOMMENDED_FILES}. For a container, use "--ulimit nofile=${RECOMMENDED_FILES}".`,
  );
  process.exitCode = 1;
}

/** Asks Linux for the bound, and tries it on other systems, since opening a file takes some 40 µs. */
function mayOpen(count: number): boolean {
  const bound = boundOfLinux();
  return bound === undefined ? canOpen(count) : bound >= count;
}

function boundOfLinux(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

function canOpen(count: number): boolean {
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
