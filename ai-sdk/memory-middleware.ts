import type { IngestRequest, MemoryClient, MemoryScope, ScopedClient, SubjectKey } from '@memory-service/sdk';
import type { LanguageModelMiddleware } from 'ai';
import { type CallParams, userTextsOf, userTurnOf, withContext } from './prompt.js';
import { Recall, type RecallLimits } from './recall.js';
import { withinTime } from './time-limit.js';

/** A memory to store. The scope adds the subject and its other values. */
export type NewMemory = Pick<IngestRequest, 'content' | 'metadata' | 'expiresAt' | 'dedupe'>;

/** The values that all memories of a conversation have, and options. */
export interface MemoryMiddlewareOptions extends MemoryScope {
  /** The subject whose memories are recalled and stored, such as the id of the signed-in user. */
  readonly subjectKey: SubjectKey;
  /** Maximum number of memories in a prompt. Default: 8. */
  readonly limit?: number | undefined;
  /** Maximum number of tokens that memories add to a prompt, estimated by bytes. Default: 1,000. */
  readonly maxTokens?: number | undefined;
  /** The minimum `relevance` of a memory, from 0 to 1. Default: 0.3. */
  readonly minRelevance?: number | undefined;
  /** Longest wait for the memories before an answer, and for storing after it. Default: 3,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Returns what to store of a new turn of the user, or undefined for nothing. `false` stores nothing at all. Default:
   * the words of the user.
   */
  readonly remember?:
    | false
    | ((text: string) => NewMemory | string | undefined | Promise<NewMemory | string | undefined>)
    | undefined;
  /**
   * Is called if memories could not be recalled or stored. The conversation goes on without them. What it throws fails
   * the call of the model. Default: a warning on the console.
   */
  readonly onError?: ((error: unknown, step: 'recall' | 'store') => void | Promise<void>) | undefined;
  /**
   * Takes over storing, so that the answer does not wait for it: the `waitUntil` of a serverless platform. What
   * `onError` throws then rejects the promise.
   */
  readonly waitUntil?: ((stored: Promise<void>) => void) | undefined;
}

/**
 * Creates middleware for a language model. It adds the relevant memories to the newest turn of the user, and stores that
 * turn after the answer.
 *
 * @throws {ScopeError} if the subject key is missing, for example because nobody is signed in
 * @example wrapLanguageModel({ model, middleware: memoryMiddleware(client, { subjectKey: 'user-1' }) });
 */
export function memoryMiddleware(client: MemoryClient, options: MemoryMiddlewareOptions): LanguageModelMiddleware {
  const { limit, maxTokens, minRelevance, timeoutMs, remember, onError, waitUntil, ...scope } = options;
  const middleware = new MemoryMiddleware(client, scope, {
    limits: { limit: limit ?? 8, maxTokens: maxTokens ?? 1_000, minRelevance: minRelevance ?? 0.3 },
    timeoutMs: timeoutMs ?? 3_000,
    remember: remember ?? ((text) => text),
    onError: onError ?? warn,
    waitUntil,
  });
  return {
    specificationVersion: 'v3',
    transformParams: ({ params }) => middleware.recall(params),
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      await middleware.store(params);
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: stream.pipeThrough(atEnd(() => middleware.store(params))) };
    },
  };
}

interface Settings {
  limits: RecallLimits;
  timeoutMs: number;
  remember: NonNullable<MemoryMiddlewareOptions['remember']>;
  onError: NonNullable<MemoryMiddlewareOptions['onError']>;
  waitUntil: MemoryMiddlewareOptions['waitUntil'];
}

class MemoryMiddleware {
  readonly #memories: ScopedClient<MemoryScope>;
  readonly #recall: Recall;
  readonly #settings: Settings;
  /** The parameters of a call → the turn to store after it, without the memories in it. */
  readonly #newTurns = new WeakMap<CallParams, string>();

  constructor(client: MemoryClient, scope: MemoryScope, settings: Settings) {
    this.#memories = client.scoped<MemoryScope>(scope);
    this.#settings = settings;
    this.#recall = new Recall(this.#memories, settings.limits);
  }

  /** Returns parameters with the memories that matter for the newest turn. */
  async recall(params: CallParams): Promise<CallParams> {
    const turn = userTurnOf(params);
    if (turn === undefined) return params;
    const kept = turn.isNew ? undefined : this.#recall.kept(turn.text);
    const text = kept ?? (await this.#search(turn.text, params));
    const recalled = text === '' ? { ...params } : withContext(params, text);
    if (turn.isNew) this.#newTurns.set(recalled, turn.text);
    return recalled;
  }

  /** Stores the turn that a call answered, if it is new. */
  async store(params: CallParams): Promise<void> {
    const turn = this.#newTurns.get(params);
    const { remember, waitUntil } = this.#settings;
    if (turn === undefined || remember === false) return;
    this.#newTurns.delete(params);
    const stored = this.#write(turn, remember);
    if (waitUntil === undefined) return stored;
    waitUntil(stored);
  }

  async #search(turn: string, params: CallParams): Promise<string> {
    const { abortSignal } = params;
    try {
      return await withinTime(this.#settings.timeoutMs, abortSignal, (signal) =>
        this.#recall.search(turn, userTextsOf(params), { signal }),
      );
    } catch (error) {
      // The caller wants no answer any more.
      abortSignal?.throwIfAborted();
      await this.#settings.onError(error, 'recall');
      return '';
    }
  }

  async #write(turn: string, remember: Exclude<Settings['remember'], false>): Promise<void> {
    try {
      const chosen = await remember(turn);
      const memory = typeof chosen === 'string' ? { content: chosen } : chosen;
      if (memory === undefined || memory.content.trim() === '') return;
      await withinTime(this.#settings.timeoutMs, undefined, (signal) => this.#memories.ingest(memory, { signal }));
    } catch (error) {
      await this.#settings.onError(error, 'store');
    }
  }
}

/** Passes a stream on, and runs `finish` before its end, unless a part reports an error. */
function atEnd<Part extends { type: string }>(finish: () => Promise<void>): TransformStream<Part, Part> {
  let hasFailed = false;
  return new TransformStream({
    transform(part, controller) {
      hasFailed ||= part.type === 'error';
      controller.enqueue(part);
    },
    async flush() {
      if (!hasFailed) await finish();
    },
  });
}

function warn(error: unknown, step: 'recall' | 'store'): void {
  console.warn(`@memory-service/ai-sdk: could not ${step} memories`, error);
}
