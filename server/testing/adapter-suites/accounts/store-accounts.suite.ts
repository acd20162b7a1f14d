import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { OwnedLimitError } from '../../../ports/account-store.js';
import { aFoundedOrganization, credentialOf } from '../../fixtures/accounts.js';
import { aFounding, anOrganization, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests organizations, people and tokens. */
export function accountsSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: accounts`, () => {
    test('stores a founded organization, its owner and its first token', async () => {
      const { accounts } = await openEmpty();
      const [first, second] = [aFounding(v7()), aFounding(v7())];

      await accounts.createOrganization(first);
      await accounts.createOrganization(second);

      expect(await accounts.organizationIds()).toEqual([first.organization.id, second.organization.id]);
      expect(await accounts.settings(first.organization.id)).toEqual({ semanticDedupe: true });
      expect(await accounts.findTokenByDigest(first.token.digest).then(credentialOf)).toEqual(first.token);
      expect(await accounts.findRole(first.organization.id, first.owner.id)).toBe('owner');
      expect(await accounts.membershipsOf(first.owner.id)).toHaveLength(1);
    });

    test('returns the organizations whose vectors are of another embedder', async () => {
      const tested = await openEmpty();
      const [first, second] = [await anOrganization(tested), await anOrganization(tested)];
      // An organization without vectors has no embedder.
      await tested.accounts.createOrganization(aFounding(v7()));
      for (const [organizationId, embeddingFingerprint] of [
        [first, 'former'],
        [second, 'current'],
      ] as const) {
        await tested.transact(organizationId, async (unit) => {
          await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint });
        });
      }

      const found = await tested.accounts.embeddedOtherwise('current');

      expect(found).toMatchObject([{ organizationId: first, settings: { embeddingFingerprint: 'former' } }]);
      expect(await tested.accounts.embeddedOtherwise('former')).toMatchObject([{ organizationId: second }]);
    });

    test('founds without a token, with an audit event, and at most as many organizations as an owner may own', async () => {
      const tested = await openEmpty();
      const { accounts } = tested;
      const { owner } = await aFoundedOrganization(tested);
      const audit = {
        id: v7(),
        occurredAt: 1,
        action: 'organization.create',
        actor: { type: 'user', id: owner.id },
        source: 'dashboard',
        metadata: {},
      } as const;
      const found = (id: string) =>
        accounts.createOrganization({
          organization: { id, name: 'n', createdAt: 5 },
          owner,
          audit: { ...audit, id: v7() },
          maxOwned: 3,
        });
      const ids = [v7(), v7(), v7(), v7()];

      const results = await Promise.allSettled(ids.map(found));

      expect(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))).toEqual([
        expect.any(OwnedLimitError),
        expect.any(OwnedLimitError),
      ]);
      const made = ids.find((_, at) => results[at]?.status === 'fulfilled') ?? '';
      expect(await accounts.findOrganization(made)).toEqual({ id: made, name: 'n', createdAt: 5 });
      expect(await accounts.findOrganization(v7())).toBeUndefined();
      expect(await accounts.listTokens(made, { limit: 9, includeRevoked: true })).toEqual([]);
      expect(await tested.audit.list(made, { limit: 9 })).toMatchObject([{ action: 'organization.create' }]);
    });

    test('renames an organization, if the unit commits', async () => {
      const tested = await openEmpty();
      const { organization } = await aFoundedOrganization(tested);
      const failing = tested.transact(organization.id, async (unit) => {
        await unit.accounts.rename('undone');
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await tested.accounts.findOrganization(organization.id)).toEqual(organization);

      await tested.transact(organization.id, (unit) => unit.accounts.rename('other'));

      expect(await tested.accounts.findOrganization(organization.id)).toEqual({ ...organization, name: 'other' });
    });

    test('finds nothing by ids that are unknown, malformed or of another organization', async () => {
      const { accounts } = await openEmpty();
      const [own, other] = [aFounding(v7()), aFounding(v7())];
      await accounts.createOrganization(own);
      await accounts.createOrganization(other);

      expect(await accounts.settings(v7())).toBeUndefined();
      expect(await accounts.settings('no uuid')).toBeUndefined();
      expect(await accounts.findTokenByDigest('').then(credentialOf)).toBeUndefined();
      expect(await accounts.findRole(own.organization.id, other.owner.id)).toBeUndefined();
      expect(await accounts.findRole('no uuid', own.owner.id)).toBeUndefined();
    });

    test('returns expired and revoked tokens with their times', async () => {
      const { accounts } = await openEmpty();
      const founding = aFounding(v7());
      const token = { ...founding.token, abilities: ['memory:search'], expiresAt: 5, revokedAt: 4 };

      await accounts.createOrganization({ ...founding, token });

      expect(await accounts.findTokenByDigest(token.digest).then(credentialOf)).toEqual(token);
    });

    test('founds an organization completely or not at all', async () => {
      const { accounts } = await openEmpty();
      const first = aFounding(v7());
      await accounts.createOrganization(first);
      const id = v7();

      const founding = accounts.createOrganization({ ...aFounding(id), token: first.token });

      await expect(founding).rejects.toThrow();
      expect(await accounts.organizationIds()).toEqual([first.organization.id]);
      expect(await accounts.settings(id)).toBeUndefined();
    });

    test('founds a second organization for the same person', async () => {
      const { accounts } = await openEmpty();
      const [first, second] = [aFounding(v7()), aFounding(v7())];
      await accounts.createOrganization(first);

      await accounts.createOrganization({
        ...second,
        owner: first.owner,
        token: { ...second.token, userId: first.owner.id },
      });

      const memberships = await accounts.membershipsOf(first.owner.id);
      expect(memberships.map(({ organizationId }) => organizationId)).toEqual([
        first.organization.id,
        second.organization.id,
      ]);
    });

    test('saves settings for units and readers', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const settings = { semanticDedupe: false, subjectKeyType: 'integer', embeddingFingerprint: 'a|b|8' } as const;

      const seen = await tested.transact(organizationId, async (unit) => {
        await unit.saveSettings(settings);
        return unit.settings();
      });

      expect(seen).toEqual(settings);
      expect(await tested.accounts.settings(organizationId)).toEqual(settings);
    });

    test.runIf(reopen)('keeps accounts across a restart', async () => {
      const first = await openEmpty();
      const founding = aFounding(v7());
      await first.accounts.createOrganization(founding);
      await store(first, founding.organization.id, {});
      first.usage.countSearch(founding.organization.id, '2024-05');

      const tested = await reopen!(first);

      expect(await tested.accounts.findTokenByDigest(founding.token.digest).then(credentialOf)).toEqual(founding.token);
      expect(await tested.accounts.findRole(founding.organization.id, founding.owner.id)).toBe('owner');
      expect(await tested.usage.read(founding.organization.id, '2024-05')).toEqual({ ingest: 0, search: 1 });
    });
  });
}
