/** Events as GitHub documents and sends them, with repeated list entries left out. */

const REPOSITORY = {
  id: 135493233,
  node_id: 'MDEwOlJlcG9zaXRvcnkxMzU0OTMyMzM=',
  name: 'api',
  full_name: 'acme/api',
  private: true,
  owner: { name: 'acme', email: 'owner@acme.example', login: 'acme', id: 21031067, type: 'Organization' },
  html_url: 'https://github.com/acme/api',
  default_branch: 'main',
};

const SENDER = { login: 'ana-lima', id: 583231, type: 'User', html_url: 'https://github.com/ana-lima' };

interface PushedCommit {
  id: string;
  message?: string;
  distinct?: boolean;
}

/** Returns a push to `main`. Every person in it has an e-mail address. */
export function aPush(commits: readonly PushedCommit[], overrides: Record<string, unknown> = {}): object {
  return {
    ref: 'refs/heads/main',
    before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
    after: commits.at(-1)?.id ?? '0'.repeat(40),
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: 'https://github.com/acme/api/compare/6113728f27ae...7fd1a60b01f9',
    repository: REPOSITORY,
    pusher: { name: 'ana-lima', email: 'ana@acme.example' },
    sender: SENDER,
    commits: commits.map(toCommit),
    head_commit: commits.length > 0 ? toCommit(commits[commits.length - 1]!) : null,
    ...overrides,
  };
}

function toCommit({ id, message = `Change ${id.slice(0, 7)}`, distinct = true }: PushedCommit): object {
  return {
    id,
    tree_id: 'f9d2a07e9488b91af2641b26b9407fe22a451433',
    distinct,
    message,
    timestamp: '2026-03-02T10:15:04+01:00',
    url: `https://github.com/acme/api/commit/${id}`,
    author: { name: 'Ana Lima', email: 'ana@acme.example', username: 'ana-lima' },
    committer: { name: 'GitHub', email: 'noreply@github.com', username: 'web-flow' },
    added: [],
    removed: [],
    modified: ['README.md'],
  };
}

/** Returns a commit id of 40 hexadecimal digits, made from a number. */
export function sha(number: number): string {
  return number.toString(16).padStart(40, '0');
}

/** Returns an event of an issue. */
export function anIssue(action: string, issue: Record<string, unknown> = {}): object {
  return {
    action,
    issue: {
      id: 73464126,
      node_id: 'MDU6SXNzdWU3MzQ2NDEyNg==',
      number: 42,
      title: 'Deploys fail on Fridays',
      body: 'Since the last release.\r\n\r\nSteps:\r\n1. deploy',
      state: 'open',
      state_reason: null,
      locked: false,
      user: SENDER,
      labels: [{ id: 208045946, name: 'bug', color: 'f29513', default: true, description: "Something isn't working" }],
      assignee: null,
      milestone: null,
      comments: 0,
      html_url: 'https://github.com/acme/api/issues/42',
      created_at: '2026-03-02T09:15:04Z',
      updated_at: '2026-03-02T09:15:04Z',
      closed_at: null,
      ...issue,
    },
    repository: REPOSITORY,
    organization: { login: 'acme', id: 21031067 },
    sender: SENDER,
  };
}

/** The event that a new webhook sends. */
export const PING = {
  zen: 'Keep it logically awesome.',
  hook_id: 30,
  hook: { type: 'Repository', id: 30, name: 'web', active: true, events: ['push', 'issues'] },
  repository: REPOSITORY,
  sender: SENDER,
};
