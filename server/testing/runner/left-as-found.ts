import { afterAll, expect, vi } from 'vitest';

const EVENTS = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'];

/**
 * Test files run one after the other in the same process, since loading everything anew for each takes longer than
 * most of them. So none may leave the process other than it found it: the one that does fails, not the next.
 */
const found = stateOfProcess();

afterAll(() => {
  const left = stateOfProcess();
  const names = new Set([...found.keys(), ...left.keys()]);
  // Names alone: what is in the environment is nothing for a log.
  const changed = [...names].filter((name) => found.get(name) !== left.get(name));
  expect(changed, 'what this file leaves changed in the process').toEqual([]);
});

function stateOfProcess(): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(process.env).map(([name, value]) => [`environment: ${name}`, value] as const),
    ...EVENTS.map((event) => [`listeners: ${event}`, process.listenerCount(event)] as const),
    ['working folder', process.cwd()],
    ['exit code', process.exitCode],
    ['fake timers', vi.isFakeTimers()],
    ['fetch', globalThis.fetch],
    ['Date.now', Date.now],
    ['Math.random', Math.random],
    ['process.stdout.write', process.stdout.write],
  ]);
}
