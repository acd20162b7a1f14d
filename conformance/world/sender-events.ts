import { createHash, randomUUID } from 'node:crypto';
import { uniqueText, uniqueWord } from './words.js';

/** A push of one commit to a repository that no other check knows. */
export function push(message = uniqueText('commit')) {
  const project = `conformance/${uniqueWord()}`;
  const id = createHash('sha1').update(message).digest('hex');
  const author = { name: 'Ana Lima', username: 'ana' };
  const timestamp = '2026-03-02T09:15:04Z';
  const commits = [{ id, distinct: true, message, timestamp, url: `https://host.example/${project}/${id}`, author }];
  return { project, message, payload: { ref: 'refs/heads/main', repository: { full_name: project }, commits } };
}

/** An event of the tracker, in a team that no other check knows. */
export function trackerEvent(type: 'Issue' | 'Comment') {
  const project = `C${uniqueWord().slice(2, 8).toUpperCase()}`;
  const identifier = `${project}-7`;
  const text = uniqueText('tracked');
  const updatedAt = '2026-03-02T09:15:04.119Z';
  const issue = { id: randomUUID(), identifier, title: text, team: { key: project }, updatedAt };
  const data = type === 'Issue' ? { ...issue, description: 'As told.' } : { id: randomUUID(), body: text, issue };
  return { project, text, payload: { type, action: 'create', data } };
}

/** The project that the memories of a payload get. */
export function projectOf(payload: unknown): string {
  const { repository, data } = payload as Partial<{ repository: { full_name: string }; data: TrackerData }>;
  return repository?.full_name ?? (data?.issue ?? data)?.team?.key ?? '';
}

interface TrackerData {
  team?: { key: string };
  issue?: TrackerData;
}
