import { ServiceError } from '../../../errors.js';
import type { ImportInput, VersionInput } from '../../../services/writing/arrival.js';
import type { BatchItem } from '../../../services/writing/batch.js';
import type { MemoryInput } from '../../../services/writing/draft.js';
import type { ImportItem } from '../../../services/writing/import.js';
import type { Contract } from '../../contract/contract.js';

export function toBatchItems(contract: Contract, items: readonly unknown[]): BatchItem[] {
  return items.map((item) => checkItem<MemoryInput>(contract, 'BatchItem', item));
}

/** Reads an item with a `memoryId` as a version. */
export function toImportItems(contract: Contract, items: readonly unknown[]): ImportItem[] {
  return items.map((item) => {
    if (typeof item !== 'object' || item === null || !('memoryId' in item)) {
      return checkItem<ImportInput>(contract, 'ImportItem', item);
    }
    const checked = checkItem<VersionInput>(contract, 'ImportedVersion', item);
    return 'input' in checked ? { version: checked.input } : checked;
  });
}

/** Checks each item separately, so that an invalid one fails alone. */
function checkItem<Input>(
  contract: Contract,
  schema: 'BatchItem' | 'ImportItem' | 'ImportedVersion',
  item: unknown,
): { input: Input } | { refused: ServiceError } {
  try {
    contract.checkSchema(schema, item);
    return { input: item as Input };
  } catch (error) {
    if (error instanceof ServiceError) return { refused: error };
    throw error;
  }
}
