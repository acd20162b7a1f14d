/**
 * Goes on without a reader of the output: whoever read it may have ended first, and what a run stored must be deleted
 * all the same.
 */
export function outliveReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
