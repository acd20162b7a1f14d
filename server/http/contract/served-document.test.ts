import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ServedDocument } from './served-document.js';

const TEXT = 'openapi: 3.1.0\n'.repeat(100);

describe('a served document', () => {
  test('is encoded once for all clients', () => {
    const document = new ServedDocument(TEXT);
    const zipped = { 'accept-encoding': 'gzip, br' };

    expect(document.serve({}).body).toBe(document.serve({}).body);
    expect(document.serve(zipped).body).toBe(document.serve(zipped).body);
    expect(document.serve({}).body?.bytes.toString()).toBe(TEXT);
    expect(gunzipSync(document.serve(zipped).body!.bytes).toString()).toBe(TEXT);
  });

  test.each([
    ['gzip', true],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
    ['*', true],
    ['GZIP', true],
    [undefined, false],
    ['', false],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip;q=0.000, br', false],
  ])('is compressed for Accept-Encoding %s: %s', (accepted, isCompressed) => {
    const { headers } = new ServedDocument(TEXT).serve({ 'accept-encoding': accepted });

    expect(headers['Content-Encoding'] === 'gzip').toBe(isCompressed);
  });

  test('has another ETag if its content differs', () => {
    const etagOf = (text: string) => new ServedDocument(text).serve({}).headers.ETag;

    expect(etagOf(TEXT)).toBe(etagOf(TEXT));
    expect(etagOf(TEXT)).not.toBe(etagOf(`${TEXT} `));
  });
});
