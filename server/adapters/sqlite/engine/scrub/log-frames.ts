import { closeSync, openSync, readSync } from 'node:fs';

/** A position in the log: the number of its frames, and which log it was. */
export interface LogMark {
  frames: number;
  /** Changes when the log restarts. */
  salts: bigint;
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SALTS_AT = 16;
const FRAME_SALTS_AT = 8;

export const NO_FRAMES: LogMark = { frames: 0, salts: -1n };

/**
 * Returns the pages that the log contains, see https://sqlite.org/fileformat2.html#the_write_ahead_log.
 *
 * @param frames number of frames in the log now
 * @param since skips the frames up to this mark, unless the log has restarted
 */
export function pagesInLog(path: string, frames: number, since: LogMark): { pages: Set<number>; mark: LogMark } {
  const pages = new Set<number>();
  if (frames === 0) return { pages, mark: NO_FRAMES };
  const log = openSync(path, 'r');
  try {
    const header = read(log, 0, HEADER_BYTES);
    const salts = header.readBigUInt64BE(SALTS_AT);
    const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
    for (let frame = salts === since.salts ? since.frames : 0; frame < frames; frame += 1) {
      const found = read(log, HEADER_BYTES + frame * frameBytes, FRAME_HEADER_BYTES);
      if (found.readBigUInt64BE(FRAME_SALTS_AT) !== salts)
        throw new Error('The log has fewer frames than the engine reports');
      pages.add(found.readUInt32BE(0));
    }
    return { pages, mark: { frames, salts } };
  } finally {
    closeSync(log);
  }
}

function read(log: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(log, bytes, 0, length, at);
  return bytes;
}
