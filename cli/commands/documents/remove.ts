import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../../lib/output/explain-error.js';

export default class DocumentsRemove extends BaseCommand<typeof DocumentsRemove> {
  static override description = 'soft-delete all memories of a document';

  static override examples = ['<%= config.bin %> <%= command.id %> docs/guide.md --yes'];

  static override args = {
    document: Args.string({ description: 'documentId of the chunks', required: true }),
  };

  static override flags = {
    subject: Flags.string({ description: 'subject of the document, if several subjects have one with this id' }),
    yes: Flags.boolean({ description: 'delete the memories; without it, only show how many' }),
  };

  override async run(): Promise<{ documentId: string; deleted: number }> {
    const client = await this.client();
    const { document: documentId } = this.args;
    const subjectKey = this.flags.subject;
    if (!this.flags.yes) {
      const { memories } = await client.documents.get(documentId, { subjectKey });
      const reason = `the document has ${countOf(memories)}: add --yes to delete ${memories === 1 ? 'it' : 'them'}`;
      throw new CommandError(reason, { exit: EXIT.usage });
    }
    let deleted = 0;
    for (let remaining = 1; remaining > 0; ) {
      const done = await client.documents.delete(documentId, { subjectKey });
      deleted += done.deleted;
      remaining = done.remaining;
    }
    this.log(`deleted  ${countOf(deleted)}`);
    return { documentId, deleted };
  }
}

function countOf(memories: number): string {
  return `${memories} ${memories === 1 ? 'memory' : 'memories'}`;
}
