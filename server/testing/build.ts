import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds the package, for tests that start it as a process of its own. */
export function buildPackage(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc'], { cwd: root, stdio: 'inherit' });
}
