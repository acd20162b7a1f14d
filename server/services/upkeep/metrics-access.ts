import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackAddress } from '../../domain/outbound/address.js';
import { UnauthenticatedError } from '../../errors.js';

/**
 * Lets those read the metrics who have the token of the operator, and where
 * there is none, those on this machine.
 *
 * @param token of the operator, undefined where none is set
 * @param reader.address the other end of the connection; undefined where somebody else is behind it
 * @throws {UnauthenticatedError}
 */
export function assertMayReadMetrics(
  token: string | undefined,
  { authorization, address }: { authorization: string | undefined; address: string | undefined },
): void {
  const isAllowed =
    token === undefined
      ? address !== undefined && isLoopbackAddress(address)
      : isSame(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '', token);
  if (!isAllowed) throw new UnauthenticatedError();
}

/** Takes as long for every text, whatever it shares with the token. */
function isSame(text: string, token: string): boolean {
  const digest = (of: string) => createHash('sha256').update(of).digest();
  return timingSafeEqual(digest(text), digest(token));
}
