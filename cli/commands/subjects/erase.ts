import { setTimeout } from 'node:timers/promises';
import type { SubjectErasure } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { EXIT } from '../../exit-codes.js';
import { withSubjectKey } from '../../lib/flags/subject-key.js';
import { formatFields } from '../../lib/output/table.js';

const LOOKED_AT_EVERY_MS = 1_000;

export default class SubjectsErase extends BaseCommand<typeof SubjectsErase> {
  static override description = 'erase everything about a subject, and print the receipt; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> ana --yes'];

  static override args = {
    subject: Args.string({ description: 'subject key', required: true }),
  };

  static override flags = {
    yes: Flags.boolean({ description: 'confirm that nothing of it can be restored' }),
  };

  override async run(): Promise<SubjectErasure> {
    if (!this.flags.yes) this.error('Nothing was erased: add --yes to erase this subject', { exit: EXIT.usage });
    const client = await this.client();
    let erasure = await withSubjectKey(this.args.subject, (subjectKey = '') => client.subjects.erase({ subjectKey }));
    while (erasure.status === 'running' || erasure.status === 'cleaning') {
      await setTimeout(LOOKED_AT_EVERY_MS);
      erasure = await client.subjects.erasure(erasure.id);
    }
    const { counts, ...receipt } = erasure;
    this.log(formatFields({ ...receipt, ...counts }));
    if (erasure.status === 'failed')
      this.error('The erasure failed: run the same command again', { exit: EXIT.failed });
    return erasure;
  }
}
