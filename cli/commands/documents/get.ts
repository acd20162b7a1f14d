import type { Document } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { printable } from '../../lib/output/print-memories.js';

export default class DocumentsGet extends BaseCommand<typeof DocumentsGet> {
  static override description = 'print a document with its chunks joined';

  static override examples = ['<%= config.bin %> <%= command.id %> docs/guide.md'];

  static override args = {
    document: Args.string({ description: 'documentId of the chunks', required: true }),
  };

  static override flags = {
    subject: Flags.string({ description: 'subject of the document, if several subjects have one with this id' }),
  };

  override async run(): Promise<Document> {
    const client = await this.client();
    const { document } = this.args;
    const subjectKey = this.flags.subject;
    let { nextChunk, ...whole } = await client.documents.get(document, { subjectKey });
    while (nextChunk !== undefined) {
      const part = await client.documents.get(document, { subjectKey, from: nextChunk });
      whole.content += part.content;
      whole.memoryIds.push(...part.memoryIds);
      nextChunk = part.nextChunk;
    }
    this.log(printable(whole.content));
    return whole;
  }
}
