/** Reports if the stream is a terminal that shows colours. */
export function wantsColor(stream: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Returns how many columns a line of the terminal has, or undefined if the stream is not one. */
export function widthOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY && stream.columns > 0 ? stream.columns : undefined;
}
