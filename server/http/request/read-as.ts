import type { Deps } from '../../deps.js';

/** So long it holds who somebody was. */
const HELD_US = 1_000_000;

/**
 * Reads the body of a request once it is known who sends it. Who takes their
 * time over the body is asked again afterwards: a credential or a membership
 * that ended meanwhile is good for nothing.
 *
 * @param identify throws for those who may not send
 */
export async function readAs<Sender, Body>(
  { now }: Pick<Deps, 'now'>,
  identify: () => Promise<Sender>,
  read: (sender: Sender) => Promise<Body>,
): Promise<{ sender: Sender; body: Body }> {
  const since = now();
  const sender = await identify();
  const body = await read(sender);
  return { sender: now() - since < HELD_US ? sender : await identify(), body };
}
