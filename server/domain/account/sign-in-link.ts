import { formatTimestamp, type Microseconds } from '../timestamp.js';

const MINUTE_US = 60_000_000;

/** Time after which a sign-in link expires. */
export const LINK_LIFETIME_US: Microseconds = 15 * MINUTE_US;

/** Time after which the link that `provision` prints expires. Its person may not be at a computer now. */
export const PROVISIONED_LINK_LIFETIME_US: Microseconds = 24 * 60 * MINUTE_US;

/**
 * Returns the link that signs a person in: absolute if the public URL of the service is known, otherwise relative. The
 * code is in the fragment, which browsers send neither to a server nor as `Referer`.
 */
export function signInLinkOf(publicUrl: string | undefined, code: string): string {
  return `${publicUrl ?? ''}/welcome#${code}`;
}

export function passwordResetMail({ link, expiresAt }: { link: string; expiresAt: Microseconds }): {
  subject: string;
  text: string;
} {
  return {
    subject: 'A new password for Memory Service',
    text: `Somebody asked for a new password for this address on Memory Service.

Set it here, once, until ${formatTimestamp(expiresAt).slice(0, 16).replace('T', ' ')} UTC:

${link}

If that was not you, do nothing: your password stays as it is.
`,
  };
}
