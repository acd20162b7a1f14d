import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { rolldown } from 'rolldown';

/** Collects files whose names have a hash of their content, so that browsers may keep them forever. */
export class HashedFiles {
  readonly files = new Map<string, string | Buffer>();

  /** Returns the address of a file, relative to the pages. */
  add(name: string, content: string | Buffer): string {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    const extension = extname(name);
    const address = `assets/${name.slice(0, -extension.length)}-${hash}${extension}`;
    this.files.set(address, content);
    return address;
  }
}

/** Bundles the script of the pages, from its sources. */
export async function bundleScript(entry: string): Promise<string> {
  const bundle = await rolldown({ input: entry, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  return output[0].code;
}

/** Leaves out comments and indentation. */
export function compactStyle(style: string): string {
  return style
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/^\s+/gm, '')
    .trim();
}
