import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const USUAL_FOLDER = '/usr/bin';

/** Returns the path of the browser that tests drive, or undefined if there is none. */
export function findChromium(): string | undefined {
  const folders = [USUAL_FOLDER, ...(process.env.PATH ?? '').split(delimiter)];
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
