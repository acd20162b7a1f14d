import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';

/** Clients may use a copy for this time without revalidation: a document changes only with a release. */
const FOR_MINUTES = 'public, max-age=300';

const GZIP = /^\s*(?:gzip|x-gzip|\*)\s*(?:;\s*q=(?<weight>[\d.]+)\s*)?$/i;

/** Encoded bytes of a body, ready to be sent. */
export class ReadyBody {
  /** @param release called when the bytes are not used any more */
  constructor(
    readonly bytes: Buffer,
    readonly release?: () => void,
  ) {}
}

interface Served {
  headers: Record<string, string>;
  /** Undefined if the client already has the document. */
  body: ReadyBody | undefined;
}

/** A document that never changes while the process runs. It is encoded once, so that many readers cost little. */
export class ServedDocument {
  readonly #plain: ReadyBody;
  readonly #gzipped: ReadyBody;
  readonly #etag: string;
  readonly #cacheControl: string;

  /** @param cacheControl value of the header `Cache-Control` */
  constructor(content: string | Buffer, cacheControl = FOR_MINUTES) {
    const bytes = Buffer.from(content);
    this.#cacheControl = cacheControl;
    this.#plain = new ReadyBody(bytes);
    this.#gzipped = new ReadyBody(gzipSync(bytes));
    // Weak, since it identifies both encodings.
    this.#etag = `W/"${createHash('sha256').update(bytes).digest('base64url')}"`;
  }

  /** Returns the document for a client, without a body if the client names its version. */
  serve(headers: IncomingHttpHeaders): Served {
    const caching = {
      ETag: this.#etag,
      'Cache-Control': this.#cacheControl,
      Vary: 'Accept-Encoding',
    };
    if (isNamed(this.#etag, headers['if-none-match'])) return { headers: caching, body: undefined };
    if (!acceptsGzip(headers['accept-encoding'])) return { headers: caching, body: this.#plain };
    return { headers: { ...caching, 'Content-Encoding': 'gzip' }, body: this.#gzipped };
  }
}

/** Compares weakly, as cached reads do. */
function isNamed(etag: string, header = ''): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  const named = header.split(',').map(opaque);
  return named.includes('*') || named.includes(opaque(etag));
}

function acceptsGzip(header = ''): boolean {
  const matches = header.split(',').flatMap((each) => {
    const match = GZIP.exec(each);
    return match ? [Number(match.groups?.weight ?? 1)] : [];
  });
  return matches.length > 0 && matches.every((weight) => weight > 0);
}
