import { isSameText } from '../../domain/account/session.js';
import { isLoopbackAddress } from '../../domain/outbound/address.js';
import { UnauthenticatedError } from '../../errors.js';
import { bearerToken } from '../access/access.js';

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
      : isSameText(bearerToken(authorization) ?? '', token);
  if (!isAllowed) throw new UnauthenticatedError();
}
