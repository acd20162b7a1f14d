// Replays n8n-workflow.json against the service, as n8n would: from the webhook through its HTTP requests to the answer.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

interface Node {
  name: string;
  type: string;
  parameters: { method?: string; url?: string; jsonBody?: string; responseBody?: string; genericAuthType?: string };
}

interface Workflow {
  nodes: readonly Node[];
  connections: Readonly<Record<string, { main: readonly (readonly { node: string }[])[] }>>;
}

/** The address that the workflow has before somebody changes it. */
const DOCUMENTED = 'http://127.0.0.1:8080';
const { MEMORY_BASE_URL = DOCUMENTED, MEMORY_TOKEN = '' } = process.env;
const workflow = JSON.parse(
  readFileSync(new URL('../n8n-workflow.json', import.meta.url), 'utf8').replaceAll(DOCUMENTED, MEMORY_BASE_URL),
) as Workflow;

/** Runs the workflow for one message. Resolves to its answer. */
async function run(body: unknown): Promise<unknown> {
  const outputs: Record<string, unknown> = {};
  const first = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.webhook');
  let node = first;
  let json: unknown = { body };
  while (node) {
    const { name, type, parameters } = node;
    if (type === 'n8n-nodes-base.respondToWebhook') return JSON.parse(evaluate(parameters.responseBody, json, outputs));
    if (type === 'n8n-nodes-base.httpRequest')
      json = await request(parameters, evaluate(parameters.jsonBody, json, outputs));
    outputs[name] = json;
    const next = workflow.connections[name]?.main[0]?.[0]?.node;
    node = workflow.nodes.find((each) => each.name === next);
  }
  throw new Error('the workflow ends without an answer');
}

/** Evaluates an expression. It sees the item of the node before as `$json`, and those of others as `$('Name').item.json`. */
function evaluate(expression = '', json: unknown, outputs: Readonly<Record<string, unknown>>): string {
  const [, code] = /^=\{\{(.*)\}\}$/s.exec(expression) ?? [];
  assert.ok(code, `${expression} is no expression`);
  return runInNewContext(code, { $json: json, $: (name: string) => ({ item: { json: outputs[name] } }) });
}

/** Sends a request with the credential "Header Auth": its name is Authorization, its value Bearer and the token. */
async function request(
  { method = 'GET', url = '', genericAuthType }: Node['parameters'],
  body: string,
): Promise<unknown> {
  assert.equal(genericAuthType, 'httpHeaderAuth');
  const headers = { Authorization: `Bearer ${MEMORY_TOKEN}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, body });
  assert.ok(response.ok, `${method} ${url} was answered with ${response.status}: ${await response.clone().text()}`);
  return response.json();
}

const greeting = await run({ user: 'n8n-ana', message: 'I am a vegetarian.' });
assert.deepEqual(greeting, { stored: 'created', known: [] });
const question = await run({ user: 'n8n-ana', message: 'May I, as a vegetarian, eat fish?' });
assert.deepEqual(question, { stored: 'created', known: ['I am a vegetarian.'] });
assert.deepEqual(await run({ user: 'n8n-ben', message: 'Who is a vegetarian?' }), { stored: 'created', known: [] });
console.log(JSON.stringify(question));
