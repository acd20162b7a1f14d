/** Exit codes of the process, listed in docs/cli.md. */
export const EXIT = {
  /** The service rejected the request, or a part of the command failed. */
  failed: 1,
  /** A flag, an argument or a file is not valid. Nothing was sent. */
  usage: 2,
  /** The memory, token, member or webhook does not exist. */
  notFound: 3,
  /** The credentials are missing, not valid or not sufficient. */
  denied: 4,
  /** The service cannot be reached, is overloaded, or a limit is used up. The same command may succeed later. */
  later: 5,
  /** Stopped by Ctrl-C. */
  interrupted: 130,
} as const;
