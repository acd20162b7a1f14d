import { withoutAddresses } from './addresses.js';

/**
 * Reads members of a payload that was not validated. A member of another type than requested is undefined: the
 * signature proves the sender, but not that the payload has the documented form.
 */
export class Payload {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.#members = isObject ? (value as Record<string, unknown>) : {};
  }

  /** Returns a text that is not blank. */
  text(name: string): string | undefined {
    const value = this.#own(name);
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  }

  /** Returns a text for people without e-mail addresses that software added. */
  prose(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : withoutAddresses(text);
  }

  /** Returns the name of a person, or undefined if it is an e-mail address. */
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

  /** Returns an empty payload if the member is not an object. */
  object(name: string): Payload {
    return new Payload(this.#own(name));
  }

  objects(name: string): Payload[] {
    const value = this.#own(name);
    return Array.isArray(value) ? value.map((item) => new Payload(item)) : [];
  }

  /** Returns an HTTP URL without user name and password. */
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
