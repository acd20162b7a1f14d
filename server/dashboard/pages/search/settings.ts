import type { Filter, SearchMode, SearchRequest } from '@memory-service/sdk';
import { SEARCH_LIMIT, SEARCH_MODES } from '@memory-service/sdk/constants';
import { filterText, filterWords, parseFilter } from '../../kit/filter/conditions.js';

/** The settings of a search. All of them are in the address of the page. */
export interface SearchSettings {
  query: string;
  mode: SearchMode;
  limit: number;
  /** 0 for no minimum. */
  minScore: number;
  recencyWeight: number;
  recencyHalflifeDays: number;
  exact: boolean;
  includeDeleted: boolean;
  filter: Filter;
}

/** The defaults of the API. */
export const DEFAULTS: SearchSettings = {
  query: '',
  mode: 'vector',
  limit: SEARCH_LIMIT.default,
  minScore: 0,
  recencyWeight: 0,
  recencyHalflifeDays: 30,
  exact: false,
  includeDeleted: false,
  filter: {},
};

export const MAX_HALFLIFE_DAYS = 3650;

export const MODE_NAMES: Readonly<Record<SearchMode, string>> = {
  vector: 'By meaning',
  keyword: 'By words',
  hybrid: 'By both',
};

/** Reads settings from the parameters of an address. What is missing or not valid is the default. */
export function settingsOf(parameters: Readonly<Record<string, string>>): SearchSettings {
  const between = (name: 'limit' | 'minScore' | 'recencyWeight' | 'recencyHalflifeDays', low: number, high: number) => {
    const value = Number(parameters[name] || Number.NaN);
    return value >= low && value <= high ? value : DEFAULTS[name];
  };
  return {
    query: parameters.q ?? '',
    mode: SEARCH_MODES.find((mode) => mode === parameters.mode) ?? DEFAULTS.mode,
    limit: Math.round(between('limit', SEARCH_LIMIT.minimum, SEARCH_LIMIT.maximum)),
    minScore: between('minScore', 0, 1),
    recencyWeight: between('recencyWeight', 0, 1),
    recencyHalflifeDays: between('recencyHalflifeDays', Number.MIN_VALUE, MAX_HALFLIFE_DAYS),
    exact: parameters.exact === 'true',
    includeDeleted: parameters.includeDeleted === 'true',
    filter: parseFilter(parameters.filter ?? ''),
  };
}

/** Writes settings into the parameters of an address. Defaults are left out, other parameters stay. */
export function writeSettings(settings: SearchSettings, parameters: URLSearchParams): void {
  const { query, filter, ...rest } = settings;
  const texts = { q: query, filter: filterText(filter), ...rest };
  const defaults: Readonly<Record<string, unknown>> = { ...DEFAULTS, q: '', filter: '' };
  for (const [name, value] of Object.entries(texts)) {
    if (value === defaults[name]) parameters.delete(name);
    else parameters.set(name, String(value));
  }
}

/** Builds the request: settings that have their default, or mean nothing in the mode, are left out. */
export function requestOf(settings: SearchSettings): SearchRequest {
  const { query, mode, limit, minScore, recencyWeight, recencyHalflifeDays, exact, includeDeleted, filter } = settings;
  const comparesVectors = mode !== 'keyword';
  return {
    query,
    ...(mode !== DEFAULTS.mode && { mode }),
    ...(limit !== DEFAULTS.limit && { limit }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(comparesVectors && minScore > 0 && { minScore }),
    ...(recencyWeight > 0 && { recencyWeight }),
    ...(recencyWeight > 0 && recencyHalflifeDays !== DEFAULTS.recencyHalflifeDays && { recencyHalflifeDays }),
    ...(comparesVectors && exact && { exact }),
    ...(includeDeleted && { includeDeleted }),
  };
}

/** Says what differs from the defaults, except the query and the mode. */
export function settingWords(settings: SearchSettings): string {
  const { limit, minScore, recencyWeight, recencyHalflifeDays, exact, includeDeleted, filter } = requestOf(settings);
  const words = [
    `${limit ?? DEFAULTS.limit} results`,
    minScore !== undefined && `similarity from ${minScore}`,
    recencyWeight !== undefined &&
      `recency ${recencyWeight}, halved in ${recencyHalflifeDays ?? DEFAULTS.recencyHalflifeDays} days`,
    exact === true && 'exact',
    includeDeleted === true && 'with deleted ones',
    filter && filterWords(filter),
  ];
  return words.filter(Boolean).join(' · ');
}
