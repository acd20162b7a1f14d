/** Events as Linear documents and sends them. */

const ACTOR = { id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba', type: 'user', name: 'Ana Lima', email: 'ana@acme.example' };
const TEAM = { id: '72b2a2dc-6f4f-4423-9d34-24b5bd10634a', key: 'ENG', name: 'Engineering' };
const ISSUE_ID = '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9';
const ISSUE_URL = 'https://linear.app/acme/issue/ENG-42/deploys-fail-on-fridays';

export function anIssueEvent(action: string, data: Record<string, unknown> = {}): object {
  return {
    action,
    actor: ACTOR,
    createdAt: '2026-03-02T09:15:05.000Z',
    data: {
      id: ISSUE_ID,
      createdAt: '2026-03-02T09:15:04.119Z',
      updatedAt: '2026-03-02T09:15:04.119Z',
      archivedAt: null,
      number: 42,
      identifier: 'ENG-42',
      title: 'Deploys fail on Fridays',
      description: 'Since the last release.',
      priority: 2,
      priorityLabel: 'High',
      sortOrder: 42.2,
      labelIds: ['ccc7e1f2-2a2c-4c5a-9e0f-2a2b2c2d2e2f'],
      teamId: TEAM.id,
      stateId: '25ac0ed1-6b5c-4a6a-b3a7-97c17e6bb2ef',
      creatorId: ACTOR.id,
      state: { id: '25ac0ed1-6b5c-4a6a-b3a7-97c17e6bb2ef', color: '#e2e2e2', name: 'Todo', type: 'unstarted' },
      team: TEAM,
      labels: [{ id: 'ccc7e1f2-2a2c-4c5a-9e0f-2a2b2c2d2e2f', color: '#eb5757', name: 'Bug' }],
      subscriberIds: [ACTOR.id],
      ...data,
    },
    url: ISSUE_URL,
    type: 'Issue',
    organizationId: '3e3f2f0d-1f3f-4b0f-8f0f-2f2f2f2f2f2f',
    webhookTimestamp: Date.now(),
    webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
  };
}

export function aCommentEvent(action: string, data: Record<string, unknown> = {}): object {
  return {
    action,
    actor: ACTOR,
    createdAt: '2026-03-02T09:20:01.000Z',
    data: {
      id: '71c4bf1c-0a75-4a6c-8f9e-1d6a3b0e4f5a',
      createdAt: '2026-03-02T09:20:00.500Z',
      updatedAt: '2026-03-02T09:20:00.500Z',
      body: 'It is the certificate.',
      issueId: ISSUE_ID,
      userId: ACTOR.id,
      reactionData: [],
      issue: { id: ISSUE_ID, title: 'Deploys fail on Fridays', identifier: 'ENG-42', teamId: TEAM.id, team: TEAM },
      user: { id: ACTOR.id, name: 'Ana Lima', email: 'ana@acme.example' },
      ...data,
    },
    url: `${ISSUE_URL}#comment-71c4bf1c`,
    type: 'Comment',
    organizationId: '3e3f2f0d-1f3f-4b0f-8f0f-2f2f2f2f2f2f',
    webhookTimestamp: Date.now(),
    webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
  };
}
