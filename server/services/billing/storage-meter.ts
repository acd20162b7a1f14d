import type { Memory } from '../../domain/memory/memory.js';
import { bytesOf } from '../../domain/memory/stored-bytes.js';
import { StorageExceededError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/store.js';
import type { Quota } from './quota.js';

type Sized = Pick<Memory, 'content' | 'metadata'>;

/** Keeps the writes of one unit of work within the storage of the plan. */
export class StorageMeter {
  constructor(
    private readonly unit: Pick<UnitOfWork, 'storedBytes'>,
    private readonly quota: Pick<Quota, 'storageCap'>,
  ) {}

  /**
   * Goes before a write: what is refused has then written nothing. What does
   * not take more room is never refused, however much is stored.
   *
   * @param before the memory as it is stored; undefined for a new one
   * @throws {StorageExceededError}
   */
  async assertRoom(before: Sized | undefined, after: Sized): Promise<void> {
    const { storageCap } = this.quota;
    if (storageCap === undefined) return;
    const growth = bytesOf(after) - (before ? bytesOf(before) : 0);
    if (growth > 0 && (await this.unit.storedBytes()) + growth > storageCap) throw new StorageExceededError(storageCap);
  }
}
