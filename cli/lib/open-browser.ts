import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Programs that open an address in the browser, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // Not `start`, which needs a shell.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER_OPENER = ['xdg-open'] as const;

/** Opens a web address in the browser, without a shell. Rejects if this machine has no program for that. */
export async function openBrowser(url: string, platform: string = process.platform): Promise<void> {
  const [program, ...args] = OPENERS[platform] ?? OTHER_OPENER;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  child.unref();
}
