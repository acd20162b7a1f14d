import { afterAll, expect, vi } from 'vitest';

const EVENTS = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'];

/**
 * Test files run one after the other in one process, because loading everything again takes longer than most files.
 * Each file must restore what it changes in the process. This check fails the file that does not, not the next one.
 */
const found = stateOfProcess();

afterAll(() => {
  const left = stateOfProcess();
  const names = new Set([...found.keys(), ...left.keys()]);
  // Names only: values of environment variables do not belong in a log.
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
