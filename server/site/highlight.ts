import { escapeHtml } from './html.js';

const WORDS =
  'as|async|await|break|case|catch|class|const|continue|default|else|export|extends|false|finally|for|from|function|if|' +
  'import|in|instanceof|interface|let|new|null|of|return|static|switch|throw|true|try|type|typeof|undefined|using|void|while';
const STRING = '(?<string>\'(?:[^\'\\\\\\n]|\\\\.)*\'|"(?:[^"\\\\\\n]|\\\\.)*"|`(?:[^`\\\\]|\\\\.)*`)';
const SCRIPT = new RegExp(`(?<comment>//[^\\n]*|/\\*[^]*?\\*/)|${STRING}|(?<word>\\b(?:${WORDS})\\b)`, 'g');
const SHELL = /(?<comment>(?<=^|\s)#[^\n]*)|(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<word>(?<=^|\n)[$] )/g;
const DATA = /(?<comment>(?<=^|\s)#[^\n]*)|(?<word>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*")/g;

/** Language of a block → what is marked in it. A text in no language is left plain. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  ts: SCRIPT,
  js: SCRIPT,
  javascript: SCRIPT,
  sh: SHELL,
  bash: SHELL,
  json: DATA,
  yaml: DATA,
};

/** Marks comments, strings and words of a language in a block of code. */
export function highlight(code: string, language = ''): string {
  const pattern = PATTERNS[language];
  if (!pattern) return escapeHtml(code);
  let html = '';
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(pattern)) {
    const [kind] = Object.keys(groups).filter((name) => groups[name] !== undefined);
    html += `${escapeHtml(code.slice(end, index))}<span class="${kind}">${escapeHtml(text)}</span>`;
    end = index + text.length;
  }
  return html + escapeHtml(code.slice(end));
}
