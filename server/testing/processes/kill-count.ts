/**
 * How often a test kills a process: a few times, unless KILLS says otherwise. `KILLS=50` makes the long runs that are
 * made by hand.
 */
export function killCount(usual: number): number {
  return Number(process.env.KILLS ?? usual);
}
