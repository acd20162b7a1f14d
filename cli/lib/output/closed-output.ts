/**
 * Ends the process quietly when the reader of standard output stops, as in `memory export | head -1`. A closed standard
 * error is ignored, so that the work is completed.
 */
export function endWithReader(stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
  });
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
