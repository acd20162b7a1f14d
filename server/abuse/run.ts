import { once, setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.js';
import { Attacker } from './attacker.js';
import { Bystander, type Sample } from './bystander.js';
import { Gauges } from './gauges.js';
import type { Options } from './options.js';
import { Target } from './target.js';
import { isWorthRepeating, type Outcome } from './verdict.js';

/** Durations in milliseconds. */
interface Times {
  warmUp: number;
  quiet: number;
  attack: number;
  interval: number;
  deadline: number;
  /** How long an attack may take to end after its time is over. */
  ending: number;
}

const LONG = { warmUp: 3_000, quiet: 10_000, interval: 500, deadline: 45_000, ending: 10_000 };
const SHORT = { warmUp: 1_000, quiet: 2_000, interval: 200, deadline: 15_000, ending: 4_000 };

/**
 * Runs attacks on their own servers, and passes each outcome to `seen`. The short form uses one server. It repeats an
 * attack once if a busy machine may explain its figures.
 */
export async function runAttacks(
  { attacks, seconds, isShort }: Options,
  seen: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const times = { ...(isShort ? SHORT : LONG), attack: seconds * 1_000 };
  const groups = isShort ? [attacks] : attacks.map((attack) => [attack]);
  const outcomes: Outcome[] = [];
  for (const group of groups) {
    const folder = await mkdtemp(join(tmpdir(), 'memory-service-abuse-'));
    try {
      await runGroup(folder, group, isShort, times, (outcome) => {
        outcomes.push(outcome);
        seen(outcome);
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return outcomes;
}

async function runGroup(
  folder: string,
  attacks: readonly Attack[],
  isShort: boolean,
  times: Times,
  seen: (outcome: Outcome) => void,
): Promise<void> {
  const target = await Target.start(folder, attacks, isShort);
  const { interval: intervalMs, deadline: deadlineMs } = times;
  const { port, bystanders: tenants } = target;
  const bystander = await Bystander.start({ port, tenants, intervalMs, deadlineMs });
  try {
    await watch(bystander, () => sleep(times.warmUp));
    const quiet = await watch(bystander, () => sleep(times.quiet));
    for (const attack of attacks) {
      if (target.server.ended !== undefined) return;
      const around = { bystander, quiet, isShort, times };
      const first = await runAttack(target, attack, around);
      seen(isShort && isWorthRepeating(first) ? await runAttack(target, attack, around, 1) : first);
    }
  } finally {
    await bystander.stop();
    await target.server.stop('SIGKILL');
  }
}

interface Surroundings {
  bystander: Bystander;
  quiet: readonly Sample[];
  isShort: boolean;
  times: Times;
}

async function runAttack(target: Target, attack: Attack, around: Surroundings, earlierRuns = 0): Promise<Outcome> {
  const { bystander, quiet, isShort, times } = around;
  const over = new AbortController();
  // Each pause of each loop adds a listener.
  setMaxListeners(0, over.signal);
  let timer: NodeJS.Timeout | undefined;
  const restart = (ms = times.attack) => {
    clearTimeout(timer);
    timer = setTimeout(() => over.abort(), ms);
  };
  const scale = { isShort, signal: over.signal, restart };
  const attacker = new Attacker(target.port, target.placesOf(attack), scale, earlierRuns);
  const gauges = await Gauges.start(target.server);
  const attacked = await watch(bystander, async () => {
    restart();
    await Promise.race([endOf(attack, attacker), endingAfter(over.signal, times.ending)]);
    clearTimeout(timer);
    over.abort();
  });
  const gauged = await gauges.stop();
  const { faults, missed, notes, slowestMs } = attacker.tally;
  const { ended } = target.server;
  const answers = attacker.tally.summary();
  return { name: attack.name, quiet, attacked, gauged, ended, faults, missed, notes, answers, slowestMs };
}

/** An attack that fails before its time is over has found a fault. */
async function endOf(attack: Attack, attacker: Attacker): Promise<void> {
  try {
    await attack.run(attacker);
  } catch (error) {
    if (!attacker.signal.aborted) attacker.tally.fault(`the attack failed: ${String(error)}`);
  }
}

/** Resolves `ms` after the time is over. */
async function endingAfter(over: AbortSignal, ms: number): Promise<void> {
  await once(over, 'abort');
  await sleep(ms, undefined, { ref: false });
}

async function watch(bystander: Bystander, during: () => Promise<unknown>): Promise<Sample[]> {
  bystander.go();
  await during();
  return bystander.collect();
}
