import { expect, test } from 'vitest';
import { clientOf, POOL_SIZE } from './connection.js';

const HOST = 'mongodb://127.0.0.1:1/memories';

test('the connection string replaces the options of the pool', () => {
  const { options } = clientOf(`${HOST}?maxPoolSize=7&minpoolsize=2&MAXIDLETIMEMS=1000&compressors=zlib`);

  expect(options).toMatchObject({ maxPoolSize: 7, minPoolSize: 2, maxIdleTimeMS: 1_000 });
  expect(options.compressors).toContain('zlib');
});

test('the connection string does not replace what makes writes durable', () => {
  const { options } = clientOf(`${HOST}?w=0&retryWrites=false&readPreference=secondary`);

  expect(options).toMatchObject({ maxPoolSize: POOL_SIZE, retryWrites: true });
  expect(options.writeConcern).toMatchObject({ w: 'majority', journal: true });
  expect(options.readPreference.mode).toBe('primary');
});
