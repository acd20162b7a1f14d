import { expect } from 'vitest';
import type { TestApp } from './test-app.js';

export const OUTBOUND_WEBHOOKS = '/api/organization/outbound-webhooks';

/** A registration that takes every event. */
export const EVERY_EVENT = {
  url: 'https://example.com/hook',
  events: ['memory.ingested', 'memory.updated', 'memory.deleted'],
};

export type RegisteredWebhook = { id: string; secret: string };

/** Registers an endpoint for every event, but for what is changed. */
export async function registerWebhook(app: TestApp, change: object = {}, headers = {}): Promise<RegisteredWebhook> {
  const { body, status } = await app.send('POST', OUTBOUND_WEBHOOKS, { ...EVERY_EVENT, ...change }, headers);
  expect(status).toBe(201);
  return body as RegisteredWebhook;
}
