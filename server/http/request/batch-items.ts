import { ServiceError } from '../../errors.js';
import type { BatchItem } from '../../services/memories/batch.js';
import type { MemoryInput } from '../../services/memories/draft.js';
import type { Contract } from '../contract/contract.js';

/** Checks the items of a batch one by one, so that one that breaks a rule of the document fails alone. */
export function toBatchItems(contract: Contract, items: readonly unknown[]): BatchItem[] {
  return items.map((item) => {
    try {
      contract.checkSchema('BatchItem', item);
      return { input: item as MemoryInput };
    } catch (error) {
      if (error instanceof ServiceError) return { refused: error };
      throw error;
    }
  });
}
