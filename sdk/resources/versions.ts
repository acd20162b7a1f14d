import { exportMemoryVersions, listMemoryVersions, restoreMemoryVersion } from '../generated/sdk.gen.js';
import type {
  ExportedVersion,
  ExportedVersionsPage,
  MemoryVersion,
  MemoryVersionsPage,
  WrittenMemory,
} from '../generated/types.gen.js';
import type { CallOptions, VersionsQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import { idOf, type Transport } from '../transport/transport.js';

/** Earlier states of memories. */
export class VersionsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the versions of a memory, newest first.
   *
   * @throws {NotFoundError}
   * @example for await (const { version, content } of client.versions.list(id)) console.log(version, content);
   */
  list(id: string, query: VersionsQuery = {}, options: CallOptions = {}): PagedCall<MemoryVersionsPage, MemoryVersion> {
    return this.#transport.list(
      byNextCursor(({ versions }: MemoryVersionsPage) => versions),
      query,
      (page) =>
        this.#transport.call('listMemoryVersions', options, (attempt) =>
          listMemoryVersions({ ...attempt, path: { id: idOf(id) }, query: page }),
        ),
    );
  }

  /**
   * Lists the versions of all memories, grouped by memory, in the order of their numbers.
   *
   * @example for await (const { memoryId, version } of client.versions.export()) console.log(memoryId, version);
   */
  export(
    query: Pick<VersionsQuery, 'limit' | 'cursor'> = {},
    options: CallOptions = {},
  ): PagedCall<ExportedVersionsPage, ExportedVersion> {
    return this.#transport.list(
      byNextCursor(({ versions }: ExportedVersionsPage) => versions),
      query,
      (page) =>
        this.#transport.call('exportMemoryVersions', options, (attempt) =>
          exportMemoryVersions({ ...attempt, query: page }),
        ),
    );
  }

  /**
   * Restores the content, the metadata and the subject key of a version.
   *
   * @throws {NotFoundError} also if the version is no longer kept
   * @throws {ConflictError} if another memory has the content
   * @example await client.versions.restore(id, 2);
   */
  restore(id: string, version: number | string, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('restoreMemoryVersion', options, (attempt) =>
      restoreMemoryVersion({ ...attempt, path: { id: idOf(id), version: idOf(String(version)) } }),
    );
  }
}
