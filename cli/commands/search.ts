import type { SearchMode, SearchResponse } from '@memory-service/sdk';
import { SEARCH_LIMIT, SEARCH_MODES } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { createdFlags, filterFlags, toFilter } from '../lib/flags/filter-flags.js';
import { limitFlag } from '../lib/flags/limit-flag.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';
import { formatExplanation, resultColumns } from '../lib/output/print-memories.js';

export default class Search extends BaseCommand<typeof Search> {
  static override description = 'find the memories closest in meaning to a query';

  static override examples = [
    '<%= config.bin %> <%= command.id %> "when do we deploy"',
    '<%= config.bin %> <%= command.id %> "when do we deploy" --mode hybrid --explain',
    '<%= config.bin %> <%= command.id %> "release steps" --kind note --limit 3 --json',
    '<%= config.bin %> <%= command.id %> "who is on call" --group-by document',
  ];

  static override args = {
    query: Args.string({ description: 'what to search for, in plain words', required: true }),
  };

  static override flags = {
    ...filterFlags,
    ...createdFlags,
    diversity: Flags.string({ description: 'how much results avoid repeating each other, 0 to 1' }),
    exact: Flags.boolean({ description: 'compare all memories, even if an approximate index would be faster' }),
    explain: Flags.boolean({
      description: 'show under each result what adds to its score, and the words that matched',
    }),
    'group-by': Flags.string({ description: 'return only the best chunk of each document', options: ['document'] }),
    halflife: Flags.string({ description: 'days after which recency counts half, with --recency' }),
    limit: limitFlag(SEARCH_LIMIT),
    'min-relevance': Flags.string({ description: 'minimum relevance of a result, 0 to 1; 0.5 is the usual border' }),
    'min-score': Flags.string({ description: 'minimum similarity of a result, 0 to 1' }),
    mode: Flags.string({ description: 'search by meaning, by words, or both', options: [...SEARCH_MODES] }),
    rerank: Flags.boolean({
      description: 'order the best matches by a model that reads query and content together, if the service has one',
    }),
    recency: Flags.string({ description: 'weight of recency in the ranking, 0 to 1' }),
  };

  override async run(): Promise<SearchResponse> {
    const { limit, mode, recency, halflife, subject } = this.flags;
    const client = await this.client();
    const found = await withSubjectKey(subject, (subjectKey) =>
      client.search({
        query: this.args.query,
        filter: toFilter(this.flags, subjectKey),
        diversity: this.toNumber('diversity', this.flags.diversity),
        exact: this.flags.exact,
        explain: this.flags.explain,
        groupBy: this.flags['group-by'] === undefined ? undefined : 'documentId',
        includeDeleted: this.flags['include-deleted'],
        limit,
        minRelevance: this.toNumber('min-relevance', this.flags['min-relevance']),
        minScore: this.toNumber('min-score', this.flags['min-score']),
        mode: mode as SearchMode | undefined,
        recencyHalflifeDays: this.toNumber('halflife', halflife),
        recencyWeight: this.toNumber('recency', recency),
        rerank: this.flags.rerank,
      }),
    );
    if (found.meta.wordsLeftOut) this.logToStderr('the query has too many words: only the rarest were searched for');
    const columns = resultColumns(this.flags['group-by'] !== undefined);
    this.table(found.results, columns, 'nothing found', { detailOf: formatExplanation });
    return found;
  }

  private toNumber(flag: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value)) throw this.usage(`--${flag} must be a number`);
    return value;
  }
}
