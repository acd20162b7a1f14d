import type { RejectionReason } from '../../domain/content-scan/scan.js';
import { sharedResource } from '../../domain/fairness/bounds.js';
import { eventLoop } from '../../domain/fairness/event-loop.js';
import { type Owner, tenantOrService } from '../../domain/fairness/owner.js';
import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { ReadContent } from '../../domain/retrieval/read-content.js';
import type { EmbeddingPurpose } from '../../ports/embedder.js';
import type { LocalModel, TextRow, TextWork } from '../../ports/text-work.js';
import { doTextWork, type TextOrder, type TextResult } from './do-text-work.js';
import { type TextAnswer, unpacked } from './text-answer.js';

/** Number of characters above which work counts as long. The worst content of this length takes about 10 ms. */
const MAX_SHORT_CHARACTERS = 5_000;
/** Time that a character takes to normalize, as a share of the time that it takes to read. */
const NORMALIZING_EFFORT = 0.1;

interface TextThread {
  ask(order: TextOrder): Promise<TextAnswer>;
}

/** Runs short work at once and long work in a thread, one piece at a time. Tenants take turns. */
export class TextTurns implements TextWork {
  readonly resource: SharedResource = sharedResource('longWork');

  constructor(private readonly thread: TextThread) {}

  row(tenant: string | undefined): TextRow {
    return new Row((order) => this.#inTurn(tenantOrService(tenant), order));
  }

  async #inTurn(owner: Owner, order: TextOrder): Promise<TextResult> {
    using _ = await this.resource.wait([owner]);
    return unpacked(await this.thread.ask(order));
  }
}

class Row implements TextRow {
  #sinceTurn = 0;
  readonly #inTurn: (order: TextOrder) => Promise<TextResult>;

  constructor(inTurn: (order: TextOrder) => Promise<TextResult>) {
    this.#inTurn = inTurn;
  }

  async normalize(content: string, maxCodePoints: number): Promise<string> {
    const effort = content.length * NORMALIZING_EFFORT;
    return (await this.#run(effort, { kind: 'normalize', content, maxCodePoints })) as string;
  }

  async read(content: string, withFormer = false): Promise<ReadContent> {
    return (await this.#run(content.length, { kind: 'read', content, withFormer })) as ReadContent;
  }

  async scan(texts: readonly string[]): Promise<RejectionReason[]> {
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    return (await this.#run(characters, { kind: 'scan', texts })) as RejectionReason[];
  }

  async embed(text: string, purpose: EmbeddingPurpose, model: LocalModel): Promise<Float32Array> {
    return (await this.#run(text.length, { kind: 'embed', text, purpose, model })) as Float32Array;
  }

  #run(characters: number, order: TextOrder): Promise<TextResult> {
    // Reads and writes count this work in their turn.
    eventLoop.measure();
    this.#sinceTurn += characters;
    if (this.#sinceTurn <= MAX_SHORT_CHARACTERS) return doTextWork(order);
    // A short piece that makes the sum long also waits for a turn, and starts the next sum.
    this.#sinceTurn = characters > MAX_SHORT_CHARACTERS ? 0 : characters;
    return this.#inTurn(order);
  }
}
