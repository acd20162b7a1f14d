import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** Returns the addresses that the operator gives to names on this machine; none if there is no hosts file. */
export async function readHostsFile(path = PATH): Promise<Map<string, string[]>> {
  return parseHosts(await readFile(path, 'utf8').catch(() => ''));
}

/** Parses lines of an address and names, with comments from `#` on. */
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

/** Whether a name is this machine's wherever it is looked up (RFC 6761). */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
