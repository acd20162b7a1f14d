import { quoteShell } from '../../kit/text/quote-shell.js';
import { type Document, examplesOf, mediaOf, type Operation, type Parameter, resolve } from './contract.js';

/**
 * Writes an operation as a command. Parameters of the path, and what authenticates, are variables of the shell, so
 * the command holds no secret.
 */
export function curlOf(document: Document, operation: Operation, baseUrl: string): string {
  const { method, path, security, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((part) => resolve(document, part));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(exampleOf(parameter))}`);
  const url = `${baseUrl}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${variable(name)}`)}`;
  const headers = parameters
    .filter((parameter) => parameter.in === 'header' && parameter.required)
    .map((parameter) => `-H "${parameter.name}: $${variable(parameter.name)}"`);
  const body = requestBody && mediaOf(resolve(document, requestBody).content);
  const [example] = body ? examplesOf(document, body.media) : [];
  return [
    `curl -s${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${[url, ...(query.length > 0 ? [query.join('&')] : [])].join('?')}"`,
    ...credentials(security),
    ...headers,
    ...(body ? [`-H 'Content-Type: ${body.type}'`, `-d ${quoteShell(JSON.stringify(example?.value ?? {}))}`] : []),
  ].join(' \\\n  ');
}

/** Prefers the token, since a session needs a browser. */
function credentials(security: Operation['security']): string[] {
  if (security.length === 0) return [];
  if (security.some((way) => 'bearer' in way)) return ['-H "Authorization: Bearer $MEMORY_TOKEN"'];
  const needsCsrf = security.every((way) => 'csrf' in way);
  return ['-b "__Host-memory_session=$SESSION"', ...(needsCsrf ? ['-H "X-CSRF-Token: $CSRF_TOKEN"'] : [])];
}

function exampleOf({ name, example, schema }: Parameter): string {
  const value = example ?? schema?.default ?? schema?.enum?.[0] ?? name;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the name of a variable: `webhookId` is WEBHOOK_ID. */
function variable(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();
}
