import { ServiceError } from '../../errors.js';
import type { BatchItem } from '../../services/memories/batch.js';
import type { MemoryInput } from '../../services/memories/draft.js';
import type { ImportInput, ImportItem } from '../../services/memories/import.js';
import type { Contract } from '../contract/contract.js';

export function toBatchItems(contract: Contract, items: readonly unknown[]): BatchItem[] {
  return checkItems<MemoryInput>(contract, 'BatchItem', items);
}

export function toImportItems(contract: Contract, items: readonly unknown[]): ImportItem[] {
  return checkItems<ImportInput>(contract, 'ImportItem', items);
}

/** Checks the items one by one, so that one that breaks a rule of the document fails alone. */
function checkItems<Input>(
  contract: Contract,
  schema: 'BatchItem' | 'ImportItem',
  items: readonly unknown[],
): ({ input: Input } | { refused: ServiceError })[] {
  return items.map((item) => {
    try {
      contract.checkSchema(schema, item);
      return { input: item as Input };
    } catch (error) {
      if (error instanceof ServiceError) return { refused: error };
      throw error;
    }
  });
}
