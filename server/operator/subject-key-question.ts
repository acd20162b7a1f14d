import { createInterface } from 'node:readline';
import type { SubjectKeyType } from '../domain/memory/memory.js';
import { UsageError } from './usage-error.js';

export const SUBJECT_KEY_TYPES = ['string', 'integer'] as const satisfies SubjectKeyType[];
export const DEFAULT_SUBJECT_KEY_TYPE: SubjectKeyType = 'string';

const QUESTION = `Memories can be about a subject, such as a user of your application. Is its key a string or an integer?
[${DEFAULT_SUBJECT_KEY_TYPE}] `;

/** Asks for the type of subject keys, until the answer is one. @throws {UsageError} if the input ends */
export async function askSubjectKeyType(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<SubjectKeyType> {
  const lines = createInterface({ input });
  try {
    output.write(QUESTION);
    for await (const line of lines) {
      const answer = line.trim().toLowerCase() || DEFAULT_SUBJECT_KEY_TYPE;
      const type = SUBJECT_KEY_TYPES.find((each) => each === answer);
      if (type) return type;
      output.write(`Enter ${SUBJECT_KEY_TYPES.join(' or ')}: `);
    }
  } finally {
    lines.close();
  }
  throw new UsageError('Set the type of subject keys: --subject-key-type TYPE');
}
