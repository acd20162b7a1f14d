/** Reports if the stream is a terminal that shows colours. */
export function wantsColor(stream: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

const NARROWEST = 60;
const WIDTH_ELSEWHERE = 120;

/** Returns how many characters fit in a line. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY ? Math.max(NARROWEST, stream.columns ?? WIDTH_ELSEWHERE) : WIDTH_ELSEWHERE;
}
