import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Programs that open an address in the browser, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // Not `start`, which needs a shell.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER_OPENER = ['xdg-open'] as const;

/** The variables that show a desktop, without which a browser would be one of text. */
const DESKTOPS = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'];

/** Opens a web address in the browser, without a shell. Rejects if this machine has no desktop or no program for that. */
export async function openBrowser(url: string, platform: string = process.platform): Promise<void> {
  if (OPENERS[platform] === undefined && !DESKTOPS.some((name) => process.env[name])) throw new Error('no desktop');
  const [program, ...args] = OPENERS[platform] ?? OTHER_OPENER;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  child.unref();
}
