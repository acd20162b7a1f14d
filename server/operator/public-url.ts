import type { Config } from '../config/config.js';

/** Addresses on which a server accepts connections from everywhere. Nobody can open them. */
const EVERYWHERE = ['0.0.0.0', '::'];

/**
 * Returns where people on this machine reach the service: the public URL, or else where it listens.
 *
 * @param listened address of the last start, if it is known
 */
export function publicUrlOf({ publicUrl, host, port }: Config, listened?: string): string {
  if (publicUrl !== undefined) return publicUrl;
  if (listened !== undefined && listened !== '') return listened;
  const name = EVERYWHERE.includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
