import type { Hook } from '@oclif/core/hooks';
import { EXIT } from '../exit-codes.js';
import { CommandError } from '../lib/output/explain-error.js';
import { meantCommand } from '../lib/usage/meant-command.js';
import { unknown } from '../lib/usage/usage-message.js';

/** Reports an unknown command, with the one that was probably meant. */
export const commandNotFound: Hook.CommandNotFound = async ({ id, config }) => {
  const { typed, meant, topic } = meantCommand(id.split(':'), config.getAllCommandIDs());
  const help = ['memory', ...topic, '--help'].join(' ');
  throw new CommandError(`${unknown('command', `"${typed}"`, meant && `"memory ${meant}"`)}; see "${help}"`, {
    exit: EXIT.usage,
  });
};
