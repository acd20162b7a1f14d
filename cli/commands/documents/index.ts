import type { DocumentSummary } from '@memory-service/sdk';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { collect } from '../../lib/collect.js';

export default class Documents extends BaseCommand<typeof Documents> {
  static override description = 'list documents with their numbers of chunks';

  static override examples = ['<%= config.bin %> <%= command.id %> --subject user-17'];

  static override flags = {
    subject: Flags.string({ description: 'only documents about this subject' }),
  };

  override async run(): Promise<{ documents: DocumentSummary[] }> {
    const client = await this.client();
    const documents = await collect(client.documents.list({ subjectKey: this.flags.subject }));
    this.table(
      documents,
      [
        { heading: 'document', text: ({ documentId }) => documentId },
        { heading: 'subject', text: ({ subjectKey = '' }) => subjectKey },
        { heading: 'chunks', text: ({ chunks, chunkTotal }) => `${chunks} of ${chunkTotal}`, align: 'right' },
        { heading: 'bytes', text: ({ bytes }) => bytes, align: 'right' },
        { heading: 'changed', text: ({ updatedAt }) => updatedAt.slice(0, 19) },
      ],
      'no documents',
    );
    return { documents };
  }
}
