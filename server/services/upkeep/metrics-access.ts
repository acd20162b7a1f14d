import { isSameText } from '../../domain/account/session.js';
import { isLoopbackAddress } from '../../domain/outbound/address.js';
import { UnauthenticatedError } from '../../errors.js';
import { bearerToken } from '../access/access.js';

/**
 * Allows reading the metrics with the operator's token. If no token is set, only loopback may read them.
 *
 * @param token undefined if none is set
 * @param reader.address peer of the connection; undefined if a proxy forwarded the request
 * @throws {UnauthenticatedError}
 */
export function assertMayReadMetrics(
  token: string | undefined,
  { authorization, address }: { authorization: string | undefined; address: string | undefined },
): void {
  const isAllowed =
    token === undefined
      ? address !== undefined && isLoopbackAddress(address)
      : isSameText(bearerToken(authorization) ?? '', token);
  if (!isAllowed) throw new UnauthenticatedError();
}
