/**
 * Returns how often a test kills a process: `usual` times, or as often as KILLS says. Long manual runs use `KILLS=50`.
 */
export function killCount(usual: number): number {
  return Number(process.env.KILLS ?? usual);
}
