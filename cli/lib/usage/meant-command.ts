import { closest } from './closest.js';

interface Meant {
  /** The words up to the first unknown one. */
  typed: string;
  /** The words of the command that was probably meant. */
  meant: string | undefined;
  /** The topic in which all words are known, empty at the top. */
  topic: readonly string[];
}

/**
 * Finds the command that mistyped words stand for. Corrects one word after the other; words after a command are its
 * arguments.
 *
 * @param ids ids of all commands and aliases, such as `webhooks:inbound:create`
 */
export function meantCommand(words: readonly string[], ids: readonly string[]): Meant {
  const known = new Set(ids);
  const path: string[] = [];
  const typed: string[] = [];
  let topic: readonly string[] | undefined;
  for (const word of words) {
    const prefix = path.map((part) => `${part}:`).join('');
    const next = new Set(ids.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length).split(':')[0]));
    if (next.size === 0) break;
    const names = [...next].filter((name) => name !== undefined);
    const meant = names.includes(word) ? word : closest(word, names);
    if (meant === undefined && known.has(path.join(':')) && topic !== undefined) break;
    typed.push(word);
    if (meant !== word) topic ??= [...path];
    if (meant === undefined) return { typed: typed.join(' '), meant: undefined, topic: topic ?? [] };
    path.push(meant);
  }
  return { typed: typed.join(' '), meant: path.join(' '), topic: topic ?? path };
}
