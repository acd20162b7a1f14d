import type { Deps } from '../../../deps.js';

/** How long an authentication stays valid while the body is read. */
const AUTHENTICATION_TTL_US = 1_000_000;

/**
 * Reads the body of a request after authenticating its sender. It authenticates again if the body was slow, since the
 * credential or membership may have ended meanwhile.
 *
 * @param identify throws if the sender is not allowed
 */
export async function readAs<Sender, Body>(
  { now }: Pick<Deps, 'now'>,
  identify: () => Promise<Sender>,
  read: (sender: Sender) => Promise<Body>,
): Promise<{ sender: Sender; body: Body }> {
  const since = now();
  const sender = await identify();
  const body = await read(sender);
  return { sender: now() - since < AUTHENTICATION_TTL_US ? sender : await identify(), body };
}
