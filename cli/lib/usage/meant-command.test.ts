import { expect, test } from 'vitest';
import { meantCommand } from './meant-command.js';

const IDS = ['search', 'audit', 'audit:export', 'webhooks:inbound', 'webhooks:inbound:create'];

test.each([
  ['serch tea', 'serch', 'search', ''],
  ['webhooks inbound crate x', 'webhooks inbound crate', 'webhooks inbound create', 'webhooks inbound'],
  ['webhook inbound create', 'webhook inbound create', 'webhooks inbound create', ''],
  ['webhook inbound tea', 'webhook inbound', 'webhooks inbound', ''],
  ['audit tea', 'audit tea', undefined, 'audit'],
  ['tea', 'tea', undefined, ''],
])('"%s" has the unknown command "%s", meant is %s', (words, typed, meant, topic) => {
  const found = meantCommand(words.split(' '), IDS);

  expect({ ...found, topic: found.topic.join(' ') }).toEqual({ typed, meant, topic });
});
