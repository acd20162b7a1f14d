import * as Flags from '@oclif/core/flags';
import { comingTimeFlag } from './time-flag.js';

/** The flags for the fields of a memory, or the file with its content. */
export const memoryFlags = {
  expires: comingTimeFlag('time at which the memory expires'),
  file: Flags.string({ char: 'f', description: 'file with the content' }),
  metadata: Flags.string({
    char: 'm',
    description: 'metadata as key=text, key:=json or a JSON object; repeatable',
    multiple: true,
    multipleNonGreedy: true,
  }),
  subject: Flags.string({ char: 's', description: 'subject key: whom or what the memory is about' }),
};
