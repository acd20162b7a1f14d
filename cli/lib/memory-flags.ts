import { Flags } from '@oclif/core';

/** The flags that say what a memory carries besides its text. */
export const memoryFlags = {
  expires: Flags.string({ description: 'when it is deleted by itself: ISO 8601, a date or a time with its zone' }),
  file: Flags.string({ char: 'f', description: 'file that holds the text' }),
  metadata: Flags.string({
    char: 'm',
    description: 'metadata as key=text, key:=json or a JSON object; may be repeated',
    multiple: true,
    multipleNonGreedy: true,
  }),
  subject: Flags.string({ char: 's', description: 'subject key: whom or what it is about' }),
};
