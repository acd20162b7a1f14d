import type { OrganizationSettings, OrganizationSettingsUpdate } from '@memory-service/sdk';
import { KEPT_VERSIONS, SUBJECT_KEY_TYPES } from '@memory-service/sdk/constants';
import { Flags } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';
import { formatFields } from '../../lib/table.js';

export default class SettingsUpdate extends BaseCommand<typeof SettingsUpdate> {
  static override description = 'change settings of the organization; for owners';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --subject-key-type string',
    '<%= config.bin %> <%= command.id %> --no-semantic-dedupe',
  ];

  static override flags = {
    'kept-versions': Flags.integer({
      description: 'how many earlier states of each memory to keep; 0 keeps none',
      max: KEPT_VERSIONS.maximum,
      min: KEPT_VERSIONS.minimum,
    }),
    'semantic-dedupe': Flags.boolean({ allowNo: true, description: 'merge near-duplicates by meaning on ingest' }),
    'subject-key-type': Flags.string({ description: 'type of all subject keys', options: [...SUBJECT_KEY_TYPES] }),
  };

  override async run(): Promise<OrganizationSettings> {
    const client = await this.client();
    const settings = await client.settings.update({
      keptVersions: this.flags['kept-versions'],
      semanticDedupe: this.flags['semantic-dedupe'],
      subjectKeyType: this.flags['subject-key-type'] as OrganizationSettingsUpdate['subjectKeyType'],
    });
    this.log(formatFields(settings));
    return settings;
  }
}
