import { stripVTControlCharacters } from 'node:util';
import { closest } from './closest.js';

/** The last line of each message of oclif's parser. */
const HINT = 'See more help with --help';

/** An error of oclif's parser. Recognized by shape, so that only a failed run loads the parser's classes. */
interface ParseError extends Error {
  parse?: { input?: { flags?: Readonly<Record<string, unknown>> } };
  flags?: readonly string[];
  args?: readonly (string | { name: string; description?: string })[];
}

export function isParseError(error: Error): error is ParseError {
  return error.message.endsWith(HINT);
}

/** Describes a usage error in one line, with the command that shows the help. */
export function usageMessage(error: ParseError, commandId: string | undefined): string {
  return `${faultOf(error)}; see "memory ${commandId === undefined ? '' : `${commandId.replaceAll(':', ' ')} `}--help"`;
}

function faultOf({ message, parse, flags = [], args = [] }: ParseError): string {
  const known = Object.keys(parse?.input?.flags ?? {}).map((flag) => `--${flag}`);
  if (flags.length > 0) {
    return flags.map((flag) => unknown('flag', flag, closest(flag, known))).join('; ');
  }
  const missing = args.flatMap((arg) => (typeof arg === 'string' ? [] : [arg]));
  if (missing.length > 0) return missing.map(({ name, description }) => `missing ${name}: ${description}`).join('; ');
  if (args.length > 0) return `unexpected argument ${args.map((arg) => JSON.stringify(arg)).join(', ')}`;
  return oneLine(message);
}

/** Says that a name is unknown, with the one that was probably meant. */
export function unknown(kind: string, name: string, meant: string | undefined): string {
  return `unknown ${kind} ${name}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

/** Removes what the parser adds around the fault: its heading, its hint and line breaks. */
function oneLine(message: string): string {
  return stripVTControlCharacters(message)
    .slice(0, -HINT.length)
    .trim()
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Parsing (\S+)\s+/, '$1: ')
    .replace(/Missing required flag (\S+)/g, 'missing --$1')
    .replace(/\s*\n\s*/g, '; ');
}
