import { type AddressRange, parseAddressRange } from '../domain/account/client-address.js';
import type { AppEnv } from './config.js';
import type { EnvReader } from './env-reader.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ORIGIN = /^https?:\/\/[^/?#@\s]+$/;
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** Reads the public URL. Links in mails begin with it, so everybody must be able to open it. */
export function readPublicUrl(read: EnvReader, appEnv: AppEnv): string | undefined {
  const text = read.text('SERVICE_PUBLIC_URL')?.replace(/\/+$/, '');
  if (text === undefined) return undefined;
  const { protocol, search = '', hash = '' } = URL.canParse(text) ? new URL(text) : { protocol: '' };
  const isSecure = protocol === 'https:' || (protocol === 'http:' && appEnv !== 'production');
  if (!isSecure || search !== '' || hash !== '') {
    read.faults.push('set SERVICE_PUBLIC_URL to the public https:// address of the service');
  }
  return text;
}

/** Reads the organization whose tools need no credential. Only this machine may use them. */
export function readDefaultOrganization(read: EnvReader, appEnv: AppEnv): string | undefined {
  const id = read.text('SERVICE_DEFAULT_ORGANIZATION_ID')?.toLowerCase();
  if (id === undefined || appEnv !== 'local') return undefined;
  if (!UUID.test(id)) read.faults.push('set SERVICE_DEFAULT_ORGANIZATION_ID to the UUID of an organization');
  const host = read.text('HOST');
  if (host !== undefined && !LOOPBACK.includes(host)) {
    read.faults.push(
      `set HOST to ${LOOPBACK[0]}, or unset SERVICE_DEFAULT_ORGANIZATION_ID: it allows anyone who can connect to use the tools`,
    );
  }
  return id;
}

export function readAllowedOrigins(read: EnvReader): string[] {
  const origins = read.list('SERVICE_ALLOWED_ORIGINS').map((origin) => origin.toLowerCase());
  if (!origins.every((origin) => ORIGIN.test(origin))) {
    read.faults.push('set SERVICE_ALLOWED_ORIGINS to origins separated by commas, such as https://app.example.com');
  }
  return origins;
}

/** Reads the trusted proxies. A range with every address is rejected, since any client could then fake its address. */
export function readTrustedProxies(read: EnvReader): AddressRange[] {
  const texts = read.list('SERVICE_TRUSTED_PROXIES');
  const ranges = texts.map(parseAddressRange).filter((range) => range !== undefined);
  const example = 'separated by commas, such as 10.0.0.0/8, 2001:db8::1';
  if (ranges.length < texts.length) {
    const wrong = texts.filter((text) => parseAddressRange(text) === undefined).join(', ');
    read.faults.push(`set SERVICE_TRUSTED_PROXIES to IP addresses and CIDR ranges ${example}: ${wrong} is invalid`);
  }
  if (ranges.some(([, bits]) => bits === 0)) {
    read.faults.push('set SERVICE_TRUSTED_PROXIES to the addresses of your proxies only, not to all addresses');
  }
  return ranges;
}
