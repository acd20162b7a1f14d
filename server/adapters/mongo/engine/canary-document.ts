import type { Collection } from 'mongodb';
import type { Canary } from '../../../ports/store.js';
import type { EncryptionDocument } from './collections.js';
import { guarded, isDuplicateKey } from './errors.js';

const KEY = 'canary';

/** Stores the canary in its own document. If servers start at once, only one sets it. */
export class MongoCanary implements Canary {
  readonly #collection: Collection<EncryptionDocument>;

  constructor(collection: Collection<EncryptionDocument>) {
    this.#collection = collection;
  }

  async read(): Promise<string | undefined> {
    return (await guarded(() => this.#collection.findOne({ _id: KEY })))?.canary;
  }

  async replace(former: string | undefined, next: string): Promise<boolean> {
    return guarded(async () => {
      if (former === undefined) return this.#insert(next);
      const { matchedCount } = await this.#collection.updateOne(
        { _id: KEY, canary: former },
        { $set: { canary: next } },
      );
      return matchedCount === 1;
    });
  }

  async #insert(canary: string): Promise<boolean> {
    try {
      await this.#collection.insertOne({ _id: KEY, canary });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}
