import type { OrganizationSettings, OrganizationSettingsUpdate } from '@memory-service/sdk';
import { KEPT_VERSIONS, SUBJECT_KEY_TYPES } from '@memory-service/sdk/constants';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../../lib/output/explain-error.js';
import { formatSettings } from '../../lib/output/format-settings.js';

export default class SettingsUpdate extends BaseCommand<typeof SettingsUpdate> {
  static override description = 'change settings of the organization; for owners';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --subject-key-type string',
    '<%= config.bin %> <%= command.id %> --no-semantic-dedupe',
    '<%= config.bin %> <%= command.id %> --deleted-retention-days 90',
  ];

  static override flags = {
    'deleted-retention-days': Flags.string({
      description: 'days after which deleted memories are purged; "never" keeps them',
      parse: parseDays,
    }),
    'kept-versions': Flags.integer({
      description: 'how many versions of each memory to keep; 0 keeps none',
      max: KEPT_VERSIONS.maximum,
      min: KEPT_VERSIONS.minimum,
    }),
    'semantic-dedupe': Flags.boolean({ allowNo: true, description: 'merge near-duplicates by meaning on ingest' }),
    'subject-key-type': Flags.string({ description: 'type of all subject keys', options: [...SUBJECT_KEY_TYPES] }),
  };

  override async run(): Promise<OrganizationSettings> {
    const client = await this.client();
    const settings = await client.settings.update({
      deletedRetentionDays: toDays(this.flags['deleted-retention-days']),
      keptVersions: this.flags['kept-versions'],
      semanticDedupe: this.flags['semantic-dedupe'],
      subjectKeyType: this.flags['subject-key-type'] as OrganizationSettingsUpdate['subjectKeyType'],
    });
    this.log(formatSettings(settings));
    return settings;
  }
}

async function parseDays(text: string): Promise<string> {
  if (text === 'never' || /^\d+$/.test(text)) return text;
  throw new CommandError(`--deleted-retention-days must be a number of days or "never", not ${text}`, {
    exit: EXIT.usage,
  });
}

function toDays(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  return text === 'never' ? null : Number(text);
}
