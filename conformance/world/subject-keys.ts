import { MissingCapabilityError, PrerequisiteError } from '../transport/prerequisite.js';
import type { Profile } from './profile.js';
import type { Requests } from './requests.js';
import { randomToken } from './words.js';

/** The subject keys of the first organization. */
export class SubjectKeys {
  private asked: Promise<'integer' | 'string'> | undefined;

  /** @param declared their type as the profile says */
  constructor(
    private readonly run: Pick<Requests, 'send'>,
    private readonly declared: Profile['subjectKeyType'],
  ) {}

  /** Their type. @throws {PrerequisiteError} */
  async type(): Promise<'integer' | 'string'> {
    this.asked ??= this.ask();
    return this.asked;
  }

  /** One of the right type that no other check uses. */
  async unused(): Promise<string | number> {
    const word = randomToken(12);
    return (await this.type()) === 'string' ? `subject ${word}` : Number.parseInt(word.slice(0, 9), 36);
  }

  private async ask(): Promise<'integer' | 'string'> {
    if (this.declared) return this.declared;
    const { status, body } = await this.run.send('GET', '/api/organization/settings');
    const type = status === 200 ? body.subjectKeyType : undefined;
    if (type === 'integer' || type === 'string') return type;
    if (status === 200) {
      throw new MissingCapabilityError(
        'the organization has no subject key type: choose one with "memory settings update --subject-key-type string"',
      );
    }
    throw new PrerequisiteError(
      'the subject key type cannot be read: name it in the profile as subjectKeyType, or run --without subject-keys',
    );
  }
}
