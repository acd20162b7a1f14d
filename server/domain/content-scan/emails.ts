import { ALPHANUMERIC, classOf, isAt } from './characters.js';
import type { Effort } from './effort.js';

const MAX_LOCAL_PART = 64;
const MAX_DOMAIN = 254;
const FIRST_BEYOND_ASCII = 0x80;

const LOCAL_SIGNS = classOf(".!#$%&'*+/=?^_`{|}~-");
const DOMAIN_SIGNS = classOf('.-');
const TOP_LEVEL = /^(?:\p{L}{2,}|xn--[0-9a-z-]+)$/iu;
/** A necessary condition: the beginning of a top-level domain after a dot. It costs less than the labels. */
const MAY_BE_DOMAIN = /\.(?:\p{L}{2}|xn--)/iu;
const LABEL = /^(?!-)[^.]{1,63}(?<!-)$/;

/** Matches the scale in `logo@2x.png`, an image for dense screens. */
const SCALE = /^\d+x$/;

/** A necessary condition: an `@` between characters of an address. One pass of it skips texts of other `@`. */
const MAY_BE_ADDRESS = /[\w!#$%&'*+/=?^`{|}~\-\u0080-\uffff]@[A-Za-z0-9.\-\u0080-\uffff]/;

/**
 * Reports if a text contains an e-mail address. Reads to both sides of each `@`, at most to the next `@`, so no
 * character is read more than twice.
 */
export function hasEmail(text: string, effort: Effort): boolean {
  if (!text.includes('@') || !MAY_BE_ADDRESS.test(text)) return false;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    effort.spend(1);
    if (isAddress(text, at, effort)) return true;
  }
  return false;
}

function isAddress(text: string, at: number, effort: Effort): boolean {
  const local = localPart(text, at, effort);
  // `git@` is the user of version control over SSH, not a person.
  if (local === '' || local.endsWith('.') || local === 'git') return false;
  const domain = domainPart(text, at + 1, effort);
  // A parenthesis after the domain means code: `left@right.mean()`.
  return isDomain(domain) && text.charAt(at + 1 + domain.length) !== '(';
}

function localPart(text: string, at: number, effort: Effort): string {
  let start = at;
  while (at - start < MAX_LOCAL_PART && start > 0 && isLocal(text, start - 1)) start -= 1;
  effort.spend(at - start);
  return text.slice(start, at);
}

function domainPart(text: string, start: number, effort: Effort): string {
  let end = start;
  while (end - start < MAX_DOMAIN && isDomainCharacter(text, end)) end += 1;
  effort.spend(end - start);
  return text.slice(start, end);
}

/** Reports if some of the first labels form a name with a top-level domain. */
function isDomain(domain: string): boolean {
  if (!MAY_BE_DOMAIN.test(domain)) return false;
  const labels = domain.split('.');
  const bad = labels.findIndex((label) => !LABEL.test(label));
  const sound = bad === -1 ? labels : labels.slice(0, bad);
  if (SCALE.test(sound[0] ?? '')) return false;
  return sound.slice(1).some((label) => TOP_LEVEL.test(label));
}

function isLocal(text: string, at: number): boolean {
  return isAt(text, at, ALPHANUMERIC) || isAt(text, at, LOCAL_SIGNS) || isBeyondAscii(text, at);
}

function isDomainCharacter(text: string, at: number): boolean {
  return isAt(text, at, ALPHANUMERIC) || isAt(text, at, DOMAIN_SIGNS) || isBeyondAscii(text, at);
}

/** Accepts every character beyond ASCII, since addresses may use any script. Other such signs are rare near an `@`. */
function isBeyondAscii(text: string, at: number): boolean {
  return text.charCodeAt(at) >= FIRST_BEYOND_ASCII;
}
