import { describe, expect, test } from 'vitest';
import { anIssue, aPush, PING, sha } from '../../testing/inbound/code-host.js';
import { mapCodeHostEvent } from './code-host-event.js';

const CONTEXT = { deliveryId: 'd-1', contentLength: 100_000 };

describe('a push', () => {
  test('becomes one memory per commit, with its origin', () => {
    const push = aPush([{ id: sha(0xabcdef1), message: 'Run deploys on Fridays\n\nAt noon.' }]);

    const { memories, omitted } = mapCodeHostEvent('push', push, CONTEXT);

    expect(omitted).toBe(0);
    expect(memories).toEqual([
      {
        externalKey: `commit:${sha(0xabcdef1)}`,
        scope: { source: 'codehost', project: 'acme/api' },
        content: `Run deploys on Fridays\n\nAt noon.\n\nCommit 0000000 (${sha(0xabcdef1)}) on main of acme/api by Ana Lima`,
        metadata: {
          source: 'codehost',
          project: 'acme/api',
          kind: 'commit',
          event: 'push',
          deliveryId: 'd-1',
          sha: sha(0xabcdef1),
          branch: 'main',
          author: 'Ana Lima',
          committedAt: '2026-03-02T10:15:04+01:00',
          url: `https://github.com/acme/api/commit/${sha(0xabcdef1)}`,
        },
      },
    ]);
  });

  test('maps its 50 newest commits and counts the omitted ones', () => {
    const commits = Array.from({ length: 53 }, (_, at) => ({ id: sha(at) }));

    const { memories, omitted } = mapCodeHostEvent('push', aPush(commits), CONTEXT);

    expect(memories.map(({ externalKey }) => externalKey)).toEqual(commits.slice(3).map(({ id }) => `commit:${id}`));
    expect(omitted).toBe(3);
  });

  test('omits commits that are not distinct, and items that are not commits', () => {
    const commits = [{ id: sha(1), distinct: false }, { id: sha(2) }, { id: 'HEAD' }];

    const { memories, omitted } = mapCodeHostEvent('push', aPush(commits), CONTEXT);

    expect(memories.map(({ externalKey }) => externalKey)).toEqual([`commit:${sha(2)}`]);
    expect(omitted).toBe(0);
  });

  test('drops the e-mail addresses of people and trailers', () => {
    const message = [
      'Run deploys on Fridays',
      '',
      'Co-authored-by: Bo Berg <bo@acme.example>',
      'Signed-off-by: cy@acme.example',
      'Reviewed-by: Di Dahl <12345+di@users.noreply.github.com>',
      'Cc: list <list@acme.example>, other@acme.example',
    ].join('\n');

    const mapped = mapCodeHostEvent('push', aPush([{ id: sha(1), message }]), CONTEXT);

    expect(JSON.stringify(mapped)).not.toContain('@');
    expect(mapped.memories[0]?.content).toContain('Co-authored-by: Bo Berg\n');
    expect(mapped.memories[0]?.content).toContain('Cc: list,\n');
  });

  test('omits an author whose name is an e-mail address', () => {
    const push = aPush([], {
      commits: [{ id: sha(1), message: 'x', author: { name: 'ana@acme.example', username: 'ana-lima' } }],
    });

    const { memories } = mapCodeHostEvent('push', push, CONTEXT);

    expect(memories[0]?.metadata.author).toBe('ana-lima');
    expect(memories[0]?.content).toContain('by ana-lima');
  });

  test.each([
    ['deletes a branch', aPush([], { deleted: true })],
    ['has no repository', aPush([{ id: sha(1) }], { repository: null })],
    ['has commits that are not a list', aPush([], { commits: 'many' })],
    ['is not an object', 'push'],
    ['is null', null],
    ['is a list', []],
  ])('maps to nothing if it %s', (_, payload) => {
    expect(mapCodeHostEvent('push', payload, CONTEXT)).toMatchObject({ memories: [] });
  });
});

describe('an issue', () => {
  test('becomes one memory with the number as its key', () => {
    const { memories } = mapCodeHostEvent('issues', anIssue('opened'), CONTEXT);

    expect(memories).toEqual([
      {
        externalKey: 'issue:acme/api#42',
        scope: { source: 'codehost', project: 'acme/api' },
        content:
          'Deploys fail on Fridays\n\nSince the last release.\n\nSteps:\n1. deploy\n\nIssue #42 of acme/api by ana-lima',
        metadata: {
          source: 'codehost',
          project: 'acme/api',
          kind: 'issue',
          event: 'issues',
          action: 'opened',
          deliveryId: 'd-1',
          number: 42,
          state: 'open',
          labels: ['bug'],
          author: 'ana-lima',
          changedAt: '2026-03-02T09:15:04Z',
          url: 'https://github.com/acme/api/issues/42',
        },
        changedAt: '2026-03-02T09:15:04Z',
      },
    ]);
  });

  test('keeps its content and records its state when it is closed or deleted', () => {
    const states = [
      anIssue('opened'),
      anIssue('closed', { state: 'closed', updated_at: '2026-03-03T00:00:00Z' }),
      anIssue('deleted'),
    ].map((event) => mapCodeHostEvent('issues', event, CONTEXT).memories[0]!);

    expect(new Set(states.map(({ content }) => content)).size).toBe(1);
    expect(states.map(({ metadata }) => metadata.state)).toEqual(['open', 'closed', 'deleted']);
  });

  test('requires only a title', () => {
    const { memories } = mapCodeHostEvent('issues', anIssue('opened', { body: null }), CONTEXT);

    expect(memories[0]?.content).toBe('Deploys fail on Fridays\n\nIssue #42 of acme/api by ana-lima');
  });

  test('is truncated if it is too long, but keeps its origin', () => {
    const long = anIssue('opened', { body: '😀'.repeat(500) });

    const { memories } = mapCodeHostEvent('issues', long, { ...CONTEXT, contentLength: 120 });

    const content = memories[0]?.content ?? '';
    expect(Array.from(content)).toHaveLength(120);
    expect(content).toMatch(/^Deploys fail on Fridays\n\n😀+ \[…\]\n\nIssue #42 of acme\/api by ana-lima$/u);
  });

  test('loses characters that a memory cannot contain', () => {
    const odd = anIssue('opened', { title: 'nul \u0000 and half \ud83d pair', body: 'x' });

    const { memories } = mapCodeHostEvent('issues', odd, CONTEXT);

    expect(memories[0]?.content).toContain('nul  and half \ufffd pair');
  });

  test.each([
    ['without a number', anIssue('opened', { number: '42' })],
    ['without a title', anIssue('opened', { title: '  ' })],
    ['that is not an object', { ...anIssue('opened'), issue: [] }],
  ])('%s maps to nothing', (_, payload) => {
    expect(mapCodeHostEvent('issues', payload, CONTEXT)).toEqual({ memories: [], omitted: 0 });
  });

  test('omits a URL that is not HTTP or contains a password', () => {
    const urls = ['javascript:alert(1)', 'https://user:secret@codehost.example/x', 'no address'];

    const mapped = urls.map((html_url) => mapCodeHostEvent('issues', anIssue('opened', { html_url }), CONTEXT));

    expect(mapped.map(({ memories }) => memories[0]?.metadata.url)).toEqual([undefined, undefined, undefined]);
  });
});

test('other events map to nothing', () => {
  expect(mapCodeHostEvent('ping', PING, CONTEXT)).toEqual({ memories: [], omitted: 0 });
  expect(mapCodeHostEvent('toString', PING, CONTEXT)).toEqual({ memories: [], omitted: 0 });
});
