import type { MemoryClient } from '@memory-service/sdk';
import { explainError } from '../output/explain-error.js';
import type { Connection } from './connection.js';

/** The result of one check. */
export interface Finding {
  check: string;
  ok: boolean;
  text: string;
  /** How to fix it. */
  advice?: string;
}

/** Maximum difference of the clocks. A larger one makes signatures and expiry dates fail. */
const CLOCK_TOLERANCE_S = 30;

/** Checks everything that a request depends on, in the order in which it would fail. */
export async function findings(client: MemoryClient, connection: Connection, version: string): Promise<Finding[]> {
  const reached = await reach(client, connection, version);
  if (!reached.some(({ ok }) => ok)) return reached;
  return [...reached, ...(await readiness(client)), await credentials(client, connection)];
}

async function reach(client: MemoryClient, { baseUrl }: Connection, version: string): Promise<Finding[]> {
  const sentAt = Date.now();
  try {
    const { response } = await client.health.live().withResponse();
    const latency = `${Date.now() - sentAt} ms`;
    return [
      { check: 'service', ok: true, text: `${baseUrl} answers in ${latency}` },
      versions(response.headers.get('X-Service-Version'), version),
      clock(response.headers.get('Date'), sentAt),
    ];
  } catch (error) {
    const advice = 'start the service, or set its address with --base-url or MEMORY_BASE_URL';
    return [{ check: 'service', ok: false, text: messageOf(error, baseUrl), advice }];
  }
}

function versions(service: string | null, own: string): Finding {
  if (service === null) {
    const advice = 'another program listens at this address: check --base-url';
    return { check: 'version', ok: false, text: 'the response has no version of the service', advice };
  }
  const ok = service.split('.')[0] === own.split('.')[0];
  const advice = 'install the same version of this package as the service';
  return { check: 'version', ok, text: `service ${service}, command line ${own}`, ...(!ok && { advice }) };
}

function clock(date: string | null, sentAt: number): Finding {
  const seconds = date === null ? 0 : Math.round(Math.abs(Date.parse(date) - sentAt) / 1_000);
  const ok = seconds <= CLOCK_TOLERANCE_S;
  const advice = 'set the clock of this machine or of the service';
  return { check: 'clock', ok, text: `differs from the service by ${seconds} s`, ...(!ok && { advice }) };
}

async function readiness(client: MemoryClient): Promise<Finding[]> {
  const { checks } = await client.health.ready();
  return Object.entries(checks).map(([check, { status, detail }]) => ({
    check,
    ok: status === 'ok',
    text: detail === undefined ? status : `${status}: ${detail}`,
    ...(status !== 'ok' && { advice: 'see the log of the service' }),
  }));
}

async function credentials(client: MemoryClient, connection: Connection): Promise<Finding> {
  const check = 'credentials';
  const advice = 'run "memory login", or set MEMORY_TOKEN';
  if (connection.token === undefined) return { check, ok: false, text: `none for ${connection.baseUrl}`, advice };
  try {
    const { organization, user, credential } = await client.session.get();
    const place = organization?.name ?? 'no organization (choose with --organization)';
    const text = `${user.email} in ${place} with ${credential.abilities.join(', ')}, from ${connection.source}`;
    return { check, ok: true, text };
  } catch (error) {
    return { check, ok: false, text: messageOf(error, connection.baseUrl), advice };
  }
}

function messageOf(error: unknown, baseUrl: string): string {
  return error instanceof Error ? explainError(error, { baseUrl }).message : String(error);
}
