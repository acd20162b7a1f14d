import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Builds the package once before all tests, if it is older than its sources, for tests that start it as a process. If
 * each test built it, it would change while others use it.
 */
export function setup(): void {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  execFileSync(process.execPath, ['build.mjs'], { cwd: root, stdio: 'inherit' });
}
