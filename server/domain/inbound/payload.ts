import { withoutAddresses } from './addresses.js';

/**
 * Reads members of a payload that nobody has checked: each is what it is
 * asked for, or undefined. The sender is trusted to be who it is, not to send
 * what its documentation says.
 */
export class Payload {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.#members = isObject ? (value as Record<string, unknown>) : {};
  }

  /** A text with something in it but white space. */
  text(name: string): string | undefined {
    const value = this.#own(name);
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  }

  /** A text for people, its e-mail addresses taken out. */
  prose(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : withoutAddresses(text);
  }

  /** The name of a person; an e-mail address is none. */
  personName(name: string): string | undefined {
    const text = this.text(name)?.trim();
    return text?.includes('@') ? undefined : text;
  }

  integer(name: string): number | undefined {
    const value = this.#own(name);
    return Number.isSafeInteger(value) ? (value as number) : undefined;
  }

  flag(name: string): boolean | undefined {
    const value = this.#own(name);
    return typeof value === 'boolean' ? value : undefined;
  }

  /** Empty where there is no object. */
  object(name: string): Payload {
    return new Payload(this.#own(name));
  }

  objects(name: string): Payload[] {
    const value = this.#own(name);
    return Array.isArray(value) ? value.map((item) => new Payload(item)) : [];
  }

  /** A web address, without user info. */
  url(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || !URL.canParse(text)) return undefined;
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? text : undefined;
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }
}
