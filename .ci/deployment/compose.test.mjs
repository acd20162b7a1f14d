import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../documents.mjs';
import { composeFaults, merge } from './compose.mjs';

const KNOWN = {
  image: { isHealthChecked: true },
  exists: (path) => existsSync(join(ROOT, 'deploy', path)),
  isPublic: (name) => name === 'caddy',
};

function faultsOf(names, from = '', to = '') {
  const texts = names.map((name) => readFileSync(join(ROOT, 'deploy', name), 'utf8'));
  expect(texts.at(-1)).toContain(from);
  texts.push(texts.pop().replace(from, to));
  return composeFaults(merge(texts.map((text) => parse(text, { merge: true }))), KNOWN);
}

describe('composeFaults', () => {
  test.each([
    [['compose.yaml']],
    [['compose.mongodb.yaml']],
    [['compose.yaml', 'compose.caddy.yaml']],
    [['compose.mongodb.yaml', 'compose.caddy.yaml']],
  ])('finds nothing wrong in %j', (names) => {
    expect(faultsOf(names)).toEqual([]);
  });

  test.each([
    [['compose.yaml'], 'read_only: true', 'readonly: true', 'memory: readonly is not known'],
    [['compose.yaml'], 'read_only: true', 'read_only: "yes"', 'memory: read_only has a wrong value'],
    [['compose.yaml'], 'read_only: true', 'read_only: false', 'memory: its root can be written'],
    [['compose.yaml'], 'cap_drop: [ALL]', 'cap_drop: [KILL]', 'memory: it keeps capabilities'],
    [['compose.yaml'], '[no-new-privileges:true]', '[]', 'memory: it may get privileges'],
    [['compose.yaml'], '127.0.0.1:8080:8080', '8080:8080', 'memory: 8080:8080 is open to other machines'],
    [['compose.yaml'], 'env_file: memory-server.env', 'env_file: server.env', 'memory: there is no server.env'],
    [['compose.yaml'], 'build: ..', 'build: .', 'memory: there is no Dockerfile in .'],
    [['compose.yaml'], 'volumes:\n  data:\n', '', 'data is not declared in volumes'],
    [
      ['compose.yaml'],
      'stop_grace_period: 30s',
      'stop_grace_period: half',
      'memory: stop_grace_period has a wrong value',
    ],
    [
      ['compose.mongodb.yaml'],
      'replicas: 2',
      'replicas: 3',
      'memory: 127.0.0.1:8080-8081:8080 is too few for the replicas',
    ],
    [
      ['compose.mongodb.yaml'],
      '      setup:\n',
      '      prepare:\n',
      'memory: it depends on prepare, which is not a service',
    ],
    [
      ['compose.mongodb.yaml'],
      'service_completed_successfully',
      'service_healthy',
      'memory: setup has no health check',
    ],
    [['compose.yaml', 'compose.caddy.yaml'], './Caddyfile:', './caddy:', 'caddy: there is no ./caddy'],
    [
      ['compose.yaml', 'compose.caddy.yaml'],
      'volumes:\n  certificates:\n',
      '',
      'certificates is not declared in volumes',
    ],
  ])('in %j with %j changed to %j finds a fault', (names, from, to, fault) => {
    expect(faultsOf(names, from, to)).toEqual([fault]);
  });
});
