import type { AuditEvent, MemoryClient } from '@memory-service/sdk';
import { useLocation } from 'preact-iso';

type AuditQuery = NonNullable<Parameters<MemoryClient['audit']['list']>[0]>;

/** The filters as the address holds them. Empty ones do not apply. */
export interface FilterValues {
  /** Names of actions, separated by commas. */
  action: string;
  source: string;
  actor: string;
  memory: string;
  /** The first day, in the zone of the browser. */
  from: string;
  /** The last day. */
  to: string;
}

export interface FilterState {
  values: FilterValues;
  isFiltered: boolean;
  set: (change: Partial<FilterValues>) => void;
  clear: () => void;
}

const NAMES = ['action', 'source', 'actor', 'memory', 'from', 'to'] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const SOURCES: readonly AuditEvent['source'][] = ['rest', 'mcp', 'dashboard', 'webhook', 'operator'];

export function useFilters(): FilterState {
  const { query, path, route } = useLocation();
  const values = Object.fromEntries(NAMES.map((name) => [name, query[name] ?? ''])) as Record<
    (typeof NAMES)[number],
    string
  >;
  const set = (change: Partial<FilterValues>) => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...values, ...change })) if (value !== '') params.set(name, value);
    route(params.size === 0 ? path : `${path}?${params}`, true);
  };
  return {
    values,
    isFiltered: NAMES.some((name) => values[name] !== ''),
    set,
    clear: () => route(path, true),
  };
}

/** Returns the conditions that the service checks. */
export function queryOf({ action, source, actor, memory, from, to }: FilterValues): AuditQuery {
  const [since, until] = [startOf(from, 0), startOf(to, 1)];
  const known = SOURCES.find((one) => one === source);
  return {
    ...(action !== '' && { action: action.split(',') }),
    ...(known && { source: known }),
    ...(actor !== '' && { actorId: actor }),
    ...(memory !== '' && { memoryId: memory }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** Returns the time when a day begins, or the one `later` days after it. */
function startOf(day: string, later: number): Date | undefined {
  if (!DAY.test(day)) return undefined;
  const time = new Date(`${day}T00:00:00`);
  time.setDate(time.getDate() + later);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
