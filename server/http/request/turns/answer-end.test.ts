import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { listen } from '../../../testing/processes/listen.js';
import { ClientGoneError } from '../body/collect-body.js';
import { GoneSignal, goneSignal } from './answer-end.js';

const PATIENT = { timeout: 60_000 };
const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

test('a caller that disconnects aborts every answer on its connection, also queued ones', async () => {
  const signals: AbortSignal[] = [];
  const port = await listen((req, res) => signals.push(goneSignal({ req, res })));
  const socket = connect(port, '127.0.0.1');
  socket.write(GET + GET);
  await vi.waitFor(() => expect(signals).toHaveLength(2), PATIENT);

  socket.destroy();

  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]), PATIENT);
  for (const { reason } of signals) expect(reason).toBeInstanceOf(ClientGoneError);
});

test('a caller that disconnects after its answer aborts nothing', async () => {
  const signals: AbortSignal[] = [];
  const closed = vi.fn();
  const port = await listen((req, res) => {
    signals.push(goneSignal({ req, res }));
    req.socket.once('close', closed);
    res.end();
  });

  await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
  await vi.waitFor(() => expect(closed).toHaveBeenCalled(), PATIENT);

  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test('a caller that disconnected before aborts at once', async () => {
  const signals: AbortSignal[] = [];
  const port = await listen((req, res) => {
    req.socket.once('close', () => signals.push(goneSignal({ req, res })));
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(GET, () => socket.destroy());

  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true]), PATIENT);
});

test('a signal that is first read after its caller left is aborted', async () => {
  const kept: GoneSignal[] = [];
  const closed = vi.fn();
  const port = await listen((req, res) => {
    kept.push(new GoneSignal({ req, res }));
    req.socket.once('close', closed);
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(GET, () => socket.destroy());
  await vi.waitFor(() => expect(closed).toHaveBeenCalled(), PATIENT);

  expect(kept.map(({ signal }) => signal.reason)).toEqual([expect.any(ClientGoneError)]);
});

test('a signal is made once, also for copies of its caller', async () => {
  const kept: { gone: GoneSignal }[] = [];
  const port = await listen((req, res) => {
    const caller = { gone: new GoneSignal({ req, res }) };
    kept.push(caller, { ...caller });
    res.end();
  });

  await fetch(`http://127.0.0.1:${port}`);

  expect(new Set(kept.map(({ gone }) => gone.signal)).size).toBe(1);
});
