import type { Memory } from '../../domain/memory/memory.js';
import { bytesOf } from '../../domain/memory/stored-bytes.js';
import { StorageExceededError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import type { Quota } from './quota.js';

type Sized = Pick<Memory, 'content' | 'metadata'>;

export class StorageMeter {
  constructor(
    private readonly unit: Pick<UnitOfWork, 'storedBytes'>,
    private readonly quota: Pick<Quota, 'storageCap'>,
  ) {}

  /**
   * Rejects a write that exceeds the storage of the plan. Call it before the write, so that a rejected one has
   * written nothing. A write that needs no more storage is never rejected, however much is stored.
   *
   * @param before the stored memory; undefined for a new one
   * @throws {StorageExceededError}
   */
  async assertRoom(before: Sized | undefined, after: Sized): Promise<void> {
    const { storageCap } = this.quota;
    if (storageCap === undefined) return;
    const growth = bytesOf(after) - (before ? bytesOf(before) : 0);
    if (growth > 0 && (await this.unit.storedBytes()) + growth > storageCap) throw new StorageExceededError(storageCap);
  }
}
