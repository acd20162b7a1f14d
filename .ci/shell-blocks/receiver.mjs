import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** An endpoint on this machine for outbound webhooks. It rejects the first event for good, and accepts the others. */
export class Receiver {
  #received = 0;
  #server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(this.#received++ === 0 ? 410 : 204).end());
  });

  async listen() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/hook`;
  }

  /** Makes the first delivery of a webhook fail, which disables the webhook, and enables it again. Returns the delivery's id. */
  async failDelivery(service, webhookId) {
    const webhook = `/api/organization/outbound-webhooks/${webhookId}`;
    await ask(service, 'POST', '/api/memories', { content: 'The lighthouse was painted white.' });
    for (;;) {
      const { outboundDeliveries } = await ask(service, 'GET', `${webhook}/deliveries?status=failed`);
      if (outboundDeliveries.length > 0) {
        await ask(service, 'PATCH', webhook, { enabled: true });
        return outboundDeliveries[0].id;
      }
      // A wait without an end is ended by the limit of the minute.
      await wait(200);
    }
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function ask({ baseUrl, token }, method, path, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${baseUrl}${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`);
  return answer.json();
}
