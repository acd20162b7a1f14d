import { describe, expect, test } from 'vitest';
import { Ledger } from './ledger.js';

function aLedger(): Ledger {
  const ledger = new Ledger();
  for (const id of ['kept', 'deleted', 'unsure']) ledger.wrote(id, `content of ${id}`);
  for (const id of ['deleted', 'unsure']) ledger.deletes(id);
  ledger.isDeleted('deleted');
  return ledger;
}

const KEPT = ['kept', 'content of kept'] as const;
const UNSURE = ['unsure', 'content of unsure'] as const;

describe('a ledger', () => {
  test.each([{ stored: [KEPT] }, { stored: [KEPT, UNSURE] }])(
    'accepts both outcomes of a deletion without an answer',
    ({ stored }) => {
      expect(aLedger().compare(new Map(stored))).toEqual([]);
    },
  );

  test.each([
    { stored: [UNSURE], fault: 'kept is lost' },
    { stored: [KEPT, ['deleted', 'content of deleted']] as const, fault: 'deleted was deleted and is still there' },
    { stored: [['kept', 'something else']] as const, fault: 'kept has another content' },
    { stored: [KEPT, ['other', KEPT[1]]] as const, fault: 'a memory is stored twice' },
  ])('reports that $fault', ({ stored, fault }) => {
    expect(aLedger().compare(new Map(stored))).toEqual([fault]);
  });

  test('counts what was acknowledged', () => {
    expect(aLedger()).toMatchObject({ written: 3, deleted: 1 });
  });
});
