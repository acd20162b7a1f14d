import { composeContent } from './content-text.js';
import { describe, type MappedEvent, type MappedMemory, type MappingContext, NOTHING } from './mapped-event.js';
import { Payload } from './payload.js';

const SOURCE = 'codehost';
/** Maximum number of commits per push; the newest are kept. */
const MAX_COMMITS = 50;
const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/i;
const SHORT_SHA_LENGTH = 7;

/** Maps a `push` or `issues` event of the code host to memories (section 6.1). */
export function mapCodeHostEvent(event: string, payload: unknown, context: MappingContext): MappedEvent {
  const read = new Payload(payload);
  const project = read.object('repository').text('full_name');
  if (project === undefined) return NOTHING;
  if (event === 'push') return mapPush(read, project, context);
  if (event === 'issues') return mapIssue(read, project, context);
  return NOTHING;
}

function mapPush(push: Payload, project: string, context: MappingContext): MappedEvent {
  const branch = push.text('ref')?.replace(/^refs\/(?:heads|tags)\//, '');
  const commits = push
    .objects('commits')
    // Commits that are not distinct were already pushed to another branch.
    .filter((commit) => SHA.test(commit.text('id') ?? '') && commit.flag('distinct') !== false);
  const kept = commits.slice(-MAX_COMMITS);
  return {
    memories: kept.map((commit) => mapCommit(commit, project, branch, context)),
    omitted: commits.length - kept.length,
  };
}

function mapCommit(
  commit: Payload,
  project: string,
  branch: string | undefined,
  { deliveryId, contentLength }: MappingContext,
): MappedMemory {
  const sha = (commit.text('id') ?? '').toLowerCase();
  const author = commit.object('author').personName('name') ?? commit.object('author').personName('username');
  // The full SHA makes the content unique; people search for the short one.
  const closing = describe('Commit', `${sha.slice(0, SHORT_SHA_LENGTH)} (${sha})`, [
    ['on', branch],
    ['of', project],
    ['by', author],
  ]);
  return {
    externalKey: `commit:${sha}`,
    scope: { source: SOURCE, project },
    content: composeContent([commit.prose('message')], closing, contentLength),
    metadata: {
      source: SOURCE,
      project,
      kind: 'commit',
      event: 'push',
      deliveryId,
      sha,
      branch,
      author,
      committedAt: commit.text('timestamp'),
      url: commit.url('url'),
    },
  };
}

function mapIssue(event: Payload, project: string, { deliveryId, contentLength }: MappingContext): MappedEvent {
  const issue = event.object('issue');
  const number = issue.integer('number');
  const title = issue.prose('title');
  if (number === undefined || title === undefined) return NOTHING;

  const action = event.text('action');
  const author = issue.object('user').personName('login');
  const changedAt = issue.text('updated_at');
  const closing = describe('Issue', `#${number}`, [
    ['of', project],
    ['by', author],
  ]);
  const memory: MappedMemory = {
    externalKey: `issue:${project}#${number}`,
    scope: { source: SOURCE, project },
    content: composeContent([title, issue.prose('body')], closing, contentLength),
    metadata: {
      source: SOURCE,
      project,
      kind: 'issue',
      event: 'issues',
      action,
      deliveryId,
      number,
      // In the event of a deletion, the issue still has its former state.
      state: action === 'deleted' ? 'deleted' : issue.text('state'),
      labels: issue.objects('labels').flatMap((label) => label.text('name') ?? []),
      author,
      changedAt,
      url: issue.url('html_url'),
    },
    ...(changedAt !== undefined && { changedAt }),
  };
  return { memories: [memory], omitted: 0 };
}
