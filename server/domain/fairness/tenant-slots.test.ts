import { describe, expect, test } from 'vitest';
import { ShareExceededError } from './owner.js';
import { TenantSlots } from './tenant-slots.js';

describe('the slots of inbound deliveries', () => {
  test('are offered first to tenants without deliveries, then to those whose share is not in use', () => {
    const slots = new TenantSlots('ingestJobs');

    expect(slots.turns()).toEqual([{ tenants: [], lanes: [] }]);
    slots.take({ tenant: 'a' });
    expect(slots.turns()).toEqual([
      { tenants: ['a'], lanes: [] },
      { tenants: [], lanes: [] },
    ]);
    slots.take({ tenant: 'a' });
    slots.take({ tenant: 'b' });
    expect(slots.turns()).toEqual([
      { tenants: ['a', 'b'], lanes: [] },
      { tenants: ['a'], lanes: [] },
    ]);
    expect(() => slots.take({ tenant: 'a' })).toThrow(new ShareExceededError('ingestJobs', 'tenant', 2));
  });

  test('are offered to nobody while all are in use, and are released only once', () => {
    const slots = new TenantSlots('ingestJobs');
    const [first] = ['a', 'a', 'b', 'b'].map((tenant) => slots.take({ tenant }));

    expect(slots.turns()).toEqual([]);
    first?.release();
    first?.release();

    expect(slots.turns()).toEqual([
      { tenants: ['a', 'b'], lanes: [] },
      { tenants: ['b'], lanes: [] },
    ]);
    expect(slots.use).toEqual({ inUse: 3, waiting: 0, refused: 0 });
  });
});
