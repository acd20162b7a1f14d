import type { Microseconds } from '../timestamp.js';
import { composeContent } from './content-text.js';
import { describe, type MappedEvent, type MappedMemory, type MappingContext, NOTHING } from './mapped-event.js';
import { Payload } from './payload.js';

const SOURCE = 'tracker';
const IDENTIFIER = /^([A-Z][A-Z0-9]*)-\d+$/;
const IDENTIFIER_IN_PATH = /\/issue\/([A-Z][A-Z0-9]*-\d+)(?:\/|$)/;

/** Maximum difference between the time of an event and ours. The tracker recommends one minute, but clocks differ. */
const MAX_CLOCK_DIFFERENCE_US = 5 * 60 * 1_000_000;

/**
 * Reports if an event was signed at most five minutes before or after `now`, by its `webhookTimestamp` in milliseconds.
 * An event without this number counts as recent.
 */
export function isRecentTrackerEvent(payload: unknown, now: Microseconds): boolean {
  const sentAtMs = (payload as { webhookTimestamp?: unknown } | null)?.webhookTimestamp;
  return typeof sentAtMs !== 'number' || Math.abs(now - sentAtMs * 1_000) <= MAX_CLOCK_DIFFERENCE_US;
}

/** Maps an `Issue` or `Comment` event of the issue tracker to a memory (section 6.1). */
export function mapTrackerEvent(payload: unknown, context: MappingContext): MappedEvent {
  const event = new Payload(payload);
  const type = event.text('type');
  const mapped =
    type === 'Issue' ? mapIssue(event, context) : type === 'Comment' ? mapComment(event, context) : undefined;
  return mapped ? { memories: [mapped], omitted: 0 } : NOTHING;
}

function mapIssue(event: Payload, { deliveryId, contentLength }: MappingContext): MappedMemory | undefined {
  const issue = event.object('data');
  const id = issue.text('id');
  const title = issue.prose('title');
  if (id === undefined || title === undefined) return undefined;

  const identifier = identifierOf(issue, event.url('url') ?? issue.url('url'));
  const project = projectOf(issue, identifier);
  const changedAt = issue.text('updatedAt');
  const closing = describe('Issue', identifier, [['of', project]]);
  return {
    externalKey: `issue:${id}`,
    scope: { source: SOURCE },
    content: composeContent([title, issue.prose('description')], closing, contentLength),
    metadata: {
      source: SOURCE,
      project,
      kind: 'issue',
      event: 'Issue',
      action: event.text('action'),
      deliveryId,
      identifier,
      state: event.text('action') === 'remove' ? 'deleted' : issue.object('state').text('name'),
      labels: issue.objects('labels').flatMap((label) => label.text('name') ?? []),
      changedAt,
      url: event.url('url') ?? issue.url('url'),
    },
    ...(changedAt !== undefined && { changedAt }),
  };
}

function mapComment(event: Payload, { deliveryId, contentLength }: MappingContext): MappedMemory | undefined {
  const comment = event.object('data');
  const id = comment.text('id');
  const body = comment.prose('body');
  if (id === undefined || body === undefined) return undefined;

  const issue = comment.object('issue');
  const url = event.url('url') ?? comment.url('url');
  const identifier = identifierOf(issue, url ?? issue.url('url'));
  const project = projectOf(issue, identifier);
  const author = comment.object('user').personName('name');
  const changedAt = comment.text('updatedAt') ?? comment.text('createdAt');
  // With its time, two equal comments of one person have different contents.
  const closing = describe('Comment', undefined, [
    ['on', identifier],
    ['of', project],
    ['by', author],
    ['at', comment.text('createdAt')],
  ]);
  return {
    externalKey: `comment:${id}`,
    scope: { source: SOURCE },
    content: composeContent([body], closing, contentLength),
    metadata: {
      source: SOURCE,
      project,
      kind: 'comment',
      event: 'Comment',
      action: event.text('action'),
      deliveryId,
      identifier,
      ...(event.text('action') === 'remove' && { state: 'deleted' }),
      issueId: comment.text('issueId') ?? issue.text('id'),
      issueTitle: issue.prose('title'),
      author,
      changedAt,
      url,
    },
    ...(changedAt !== undefined && { changedAt }),
  };
}

/** Returns an identifier such as `ENG-42`, from the URL if the payload does not have it. */
function identifierOf(issue: Payload, url: string | undefined): string | undefined {
  const given = issue.text('identifier');
  if (given !== undefined) return given;
  return url === undefined ? undefined : IDENTIFIER_IN_PATH.exec(new URL(url).pathname)?.[1];
}

/** Returns the key of the team, or else the name of the project. */
function projectOf(issue: Payload, identifier: string | undefined): string | undefined {
  return (
    issue.object('team').text('key') ?? IDENTIFIER.exec(identifier ?? '')?.[1] ?? issue.object('project').text('name')
  );
}
