import { describe, expect, test } from 'vitest';
import { aCommentEvent, anIssueEvent } from '../../testing/inbound/tracker.js';
import { isRecentTrackerEvent, mapTrackerEvent } from './tracker-event.js';

const CONTEXT = { deliveryId: 'd-1', contentLength: 100_000 };

describe('an issue', () => {
  test('becomes one memory with the id as its key', () => {
    expect(mapTrackerEvent(anIssueEvent('create'), CONTEXT)).toEqual({
      memories: [
        {
          externalKey: 'issue:2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
          scope: { source: 'tracker' },
          content: 'Deploys fail on Fridays\n\nSince the last release.\n\nIssue ENG-42 of ENG',
          metadata: {
            source: 'tracker',
            project: 'ENG',
            kind: 'issue',
            event: 'Issue',
            action: 'create',
            deliveryId: 'd-1',
            identifier: 'ENG-42',
            state: 'Todo',
            labels: ['Bug'],
            changedAt: '2026-03-02T09:15:04.119Z',
            url: 'https://linear.app/acme/issue/ENG-42/deploys-fail-on-fridays',
          },
          changedAt: '2026-03-02T09:15:04.119Z',
        },
      ],
      omitted: 0,
    });
  });

  test('keeps its memory, with the state deleted, when the tracker removes it', () => {
    const [memory] = mapTrackerEvent(anIssueEvent('remove'), CONTEXT).memories;

    expect(memory).toMatchObject({ metadata: { action: 'remove', state: 'deleted' } });
    expect(memory?.content).toContain('Since the last release.');
  });

  test('reads its project from the team, the identifier, the URL or the project, in this order', () => {
    const project = (data: Record<string, unknown>, url?: string) =>
      mapTrackerEvent({ ...anIssueEvent('create', data), ...(url !== undefined && { url }) }, CONTEXT).memories[0]
        ?.metadata.project;

    expect(project({ identifier: 'OPS-1' })).toBe('ENG');
    expect(project({ team: undefined, identifier: 'OPS-1' })).toBe('OPS');
    expect(project({ team: undefined, identifier: undefined })).toBe('ENG');
    expect(project({ team: undefined, identifier: undefined, project: { name: 'Roadmap' } }, '')).toBe('Roadmap');
    expect(project({ team: undefined, identifier: undefined }, '')).toBeUndefined();
  });
});

describe('a comment', () => {
  test('becomes one memory that names its issue', () => {
    expect(mapTrackerEvent(aCommentEvent('create'), CONTEXT).memories).toEqual([
      {
        externalKey: 'comment:71c4bf1c-0a75-4a6c-8f9e-1d6a3b0e4f5a',
        scope: { source: 'tracker' },
        content: 'It is the certificate.\n\nComment on ENG-42 of ENG by Ana Lima at 2026-03-02T09:20:00.500Z',
        metadata: {
          source: 'tracker',
          project: 'ENG',
          kind: 'comment',
          event: 'Comment',
          action: 'create',
          deliveryId: 'd-1',
          identifier: 'ENG-42',
          issueId: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
          issueTitle: 'Deploys fail on Fridays',
          author: 'Ana Lima',
          changedAt: '2026-03-02T09:20:00.500Z',
          url: 'https://linear.app/acme/issue/ENG-42/deploys-fail-on-fridays#comment-71c4bf1c',
        },
        changedAt: '2026-03-02T09:20:00.500Z',
      },
    ]);
  });

  test('has another content than an equal comment at another time', () => {
    const one = mapTrackerEvent(aCommentEvent('create', { id: 'a' }), CONTEXT).memories[0];
    const other = mapTrackerEvent(aCommentEvent('create', { id: 'b', createdAt: '2026-03-02T09:21:00Z' }), CONTEXT)
      .memories[0];

    expect(one?.content).not.toBe(other?.content);
  });

  test('without a text maps to nothing', () => {
    expect(mapTrackerEvent(aCommentEvent('create', { body: '' }), CONTEXT).memories).toEqual([]);
  });
});

describe('an event of the tracker', () => {
  const NOW_US = 1_772_442_000_000_000;
  const sentAt = (offsetMs: number) => ({ ...anIssueEvent('create'), webhookTimestamp: NOW_US / 1_000 + offsetMs });

  test.each([0, -5 * 60_000, 5 * 60_000])('is recent if it was sent %i ms from now', (offsetMs) => {
    expect(isRecentTrackerEvent(sentAt(offsetMs), NOW_US)).toBe(true);
  });

  test.each([-5 * 60_000 - 1, 5 * 60_000 + 1, -365 * 24 * 60 * 60_000])(
    'is not recent if it was sent %i ms from now',
    (ms) => {
      expect(isRecentTrackerEvent(sentAt(ms), NOW_US)).toBe(false);
    },
  );

  test.each([[{ type: 'Issue' }], [{ webhookTimestamp: 'soon' }], ['Issue'], [null]])(
    'is recent if it has no time: %j',
    (payload) => {
      expect(isRecentTrackerEvent(payload, NOW_US)).toBe(true);
    },
  );
});

test('events never store e-mail addresses of people', () => {
  const events = [anIssueEvent('create'), aCommentEvent('create', { body: 'As Bo <bo@acme.example> said.' })];

  const mapped = events.map((event) => mapTrackerEvent(event, CONTEXT));

  expect(JSON.stringify(events)).toContain('@');
  expect(JSON.stringify(mapped)).not.toContain('@');
});

test.each([
  ['another type', { ...anIssueEvent('create'), type: 'Reaction' }],
  ['no type', { data: {} }],
  ['no data', { type: 'Issue' }],
  ['data that is a list', { type: 'Comment', data: [] }],
  ['a text', 'Issue'],
  ['null', null],
])('%s maps to nothing', (_, payload) => {
  expect(mapTrackerEvent(payload, CONTEXT)).toEqual({ memories: [], omitted: 0 });
});
