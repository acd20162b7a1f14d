import type { Answer } from '../transport/answer.js';
import { needed, PrerequisiteError } from '../transport/prerequisite.js';
import type { Sending } from '../transport/request.js';
import { Mailbox } from './mailbox.js';
import type { Profile } from './profile.js';
import type { Requests } from './requests.js';
import { randomToken } from './words.js';

export type Role = 'owner' | 'member' | 'readonly';

/** One of each is enough for the checks that only look at what the role may do. */
export type SharedRole = Exclude<Role, 'owner'>;

/** An invitation as the invitee has it. */
export interface Invited {
  readonly id: string;
  readonly email: string;
  /** The URL that accepts the invitation, from the answer or the mail. */
  readonly link: string;
  /** The secret part of the link. */
  readonly token: string;
}

/** A user whom the run invited, and who has signed in. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  /** Sends as their session, as a browser would. */
  readonly as: Sending;
}

export interface PeopleOptions {
  /** A token of the owner who invites. */
  owner: string | undefined;
  /** The address at which the suite receives the deployment's mail, if it sends any. */
  mail: Profile['mail'];
  /** Those who are members already and stay; by role, where the checks may share them. */
  known?: ((role: SharedRole) => Promise<Person>) | undefined;
}

const MEMBERS = '/api/organization/members';
const INVITATIONS = '/api/organization/invitations';
/** No mail can be delivered there. */
const DOMAIN = 'example.test';

/**
 * People whom the run invites to the organization of `tokens.people`, and who leave it at the end: one of each role for
 * the checks that only look at what the role may do, and more for those that do something to a person.
 */
export class People {
  private readonly shared = new Map<SharedRole, Promise<Person>>();
  private readonly joined = new Map<string, Person>();
  private readonly invitations = new Set<string>();
  private mailbox: Promise<Mailbox> | undefined;

  constructor(
    private readonly run: Pick<Requests, 'send' | 'eventually' | 'largestPage'>,
    private readonly options: PeopleOptions,
  ) {}

  /** Sends as the owner who invites. @throws {PrerequisiteError} */
  get owner(): { token: string } {
    const what = 'an organization whose members the run may change: tokens.people of the profile';
    return { token: needed(this.options.owner, what) };
  }

  /** Returns an unused address. */
  address(): string {
    return `conformance-${randomToken(14)}@${DOMAIN}`;
  }

  password(): string {
    return `a phrase of ${randomToken(20)}`;
  }

  /** Somebody of a role. They must be left as they are. @throws {PrerequisiteError} */
  async get(role: SharedRole): Promise<Person> {
    if (this.options.known) return this.options.known(role);
    const person = this.shared.get(role) ?? this.join(role);
    this.shared.set(role, person);
    return person;
  }

  /** Somebody new. @throws {PrerequisiteError} */
  async join(role: Role): Promise<Person> {
    const invited = await this.invite(role);
    const { email } = invited;
    const password = this.password();
    const accepted = await this.accept(invited, { password });
    const { id: userId } = (accepted.body.user ?? {}) as { id?: string };
    if (accepted.status !== 200 || userId === undefined) {
      throw new PrerequisiteError(`accepting an invitation was answered with ${accepted.status}`);
    }
    const person = { userId, email, password, as: toSending(await this.signIn(email, password)) };
    this.joined.set(userId, person);
    return person;
  }

  /** @throws {PrerequisiteError} */
  async invite(role: Role, email = this.address()): Promise<Invited> {
    // The mail comes before the answer.
    const mailbox = await this.openMailbox();
    const { status, body } = await this.run.send('POST', INVITATIONS, { email, role }, this.owner);
    if (status !== 201) throw new PrerequisiteError(`an invitation was answered with ${status}`);
    const id = String(body.id);
    this.invitations.add(id);
    const link = body.sent === true ? await this.mailedLink(mailbox, email) : String(body.link);
    return { id, email, link, token: link.split('/').at(-1) ?? '' };
  }

  async accept({ token, email }: Pick<Invited, 'token' | 'email'>, given: { password?: string } = {}): Promise<Answer> {
    return this.run.send('POST', '/api/invitations/accept', { token, email, ...given }, { token: null });
  }

  async signIn(email: string, password: string): Promise<Answer> {
    return this.run.send('POST', '/api/session', { email, password }, { token: null });
  }

  /** The mail that came to an address, as soon as it is there. */
  async mailTo(email: string): Promise<string> {
    const mailbox = needed(await this.openMailbox(), 'mail in the profile');
    const mail = await this.run.eventually(async () => mailbox.to(email).at(-1), `mail to ${email}`);
    return mail.text;
  }

  /** Removes a member that a check added. */
  async leave(person: Person): Promise<void> {
    const { userId, as } = person;
    const path = `${MEMBERS}/${userId}`;
    const { status } = await this.run.send('DELETE', path, undefined, as);
    // Their session is over, or they may not go.
    if (status !== 204) await this.run.send('DELETE', path, undefined, this.owner);
    this.forget(person);
  }

  /** Somebody who is a member no more needs not leave. */
  forget({ userId }: Person): void {
    this.joined.delete(userId);
  }

  /** Removes all invited members, and revokes open invitations. */
  async release(): Promise<void> {
    for (const person of this.joined.values()) await this.leave(person);
    this.shared.clear();
    await this.revokePending();
    const mailbox = this.mailbox;
    this.mailbox = undefined;
    await (await mailbox)?.[Symbol.asyncDispose]();
  }

  private async revokePending(): Promise<void> {
    if (this.invitations.size === 0) return;
    const { body } = await this.run.send('GET', INVITATIONS, undefined, {
      ...this.owner,
      query: { limit: this.run.largestPage },
    });
    const pending = ((body.invitations ?? []) as { id: string }[]).filter(({ id }) => this.invitations.has(id));
    for (const { id } of pending) await this.run.send('DELETE', `${INVITATIONS}/${id}`, undefined, this.owner);
    this.invitations.clear();
  }

  private async openMailbox(): Promise<Mailbox | undefined> {
    const { mail } = this.options;
    if (!mail) return undefined;
    this.mailbox ??= Mailbox.listen(mail.host, mail.port);
    return this.mailbox;
  }

  private async mailedLink(mailbox: Mailbox | undefined, email: string): Promise<string> {
    if (!mailbox) {
      throw new PrerequisiteError(
        'the deployment mails its invitations: name in the profile, as mail, where the suite is to listen for them, or run --without people',
      );
    }
    return /https?:\/\/\S*\/invitations\/accept\/[\w-]+/.exec(await this.mailTo(email))?.[0] ?? '';
  }
}

/** Returns the request options of a browser in the new session. @throws {PrerequisiteError} */
export function toSending({ status, headers, body }: Answer): Sending {
  const cookie = headers.get('set-cookie')?.split(';')[0];
  if (status !== 201 || cookie === undefined) throw new PrerequisiteError(`signing in was answered with ${status}`);
  return { token: null, headers: { cookie, 'x-csrf-token': String(body.csrfToken) } };
}
