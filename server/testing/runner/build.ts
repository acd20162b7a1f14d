import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Builds the package once before all tests, where it is older than its sources, for those that start it as a process
 * of its own: built by each of them, it would change under the others.
 */
export function setup(): void {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  execFileSync(process.execPath, ['build.mjs'], { cwd: root, stdio: 'inherit' });
}
