/** What the process ends with; listed in docs/cli.md. */
export const EXIT = {
  /** The service refused the request, or something that was asked for failed. */
  failed: 1,
  /** A flag, an argument or a file of the user's is wrong; nothing was sent. */
  usage: 2,
  /** There is no such memory, token, member or webhook. */
  notFound: 3,
  /** No credentials, or not these. */
  denied: 4,
  /** The service cannot be reached, is overloaded, or its limits are used up: the same command may work later. */
  later: 5,
  /** Stopped by Ctrl-C. */
  interrupted: 130,
} as const;
