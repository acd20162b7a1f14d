import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** Returns the addresses that the hosts file assigns to names, or an empty map if there is no such file. */
export async function readHostsFile(path = PATH): Promise<Map<string, string[]>> {
  return parseHosts(await readFile(path, 'utf8').catch(() => ''));
}

/** Parses lines of an address and names. Comments begin with `#`. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  }
  return hosts;
}

/** Reports if a name always means this machine (RFC 6761). */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
