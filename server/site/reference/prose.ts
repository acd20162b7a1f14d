import { blocksOf } from '../../dashboard/pages/reference/markdown.js';
import { escapeHtml } from '../html.js';

const TAGS = { bold: 'strong', code: 'code' } as const;

/** Writes a description of openapi.yaml as paragraphs. */
export function proseHtml(description = ''): string {
  return description === '' ? '' : `<p>${inlineHtml(description, '</p>\n<p>')}</p>\n`;
}

/** Writes a description for a place that has no paragraphs, such as a cell of a table. */
export function inlineHtml(description = '', between = '<br>'): string {
  if (description === '') return '';
  return blocksOf(description)
    .map((block) =>
      block
        .map(({ kind, text }) =>
          kind === 'plain' ? escapeHtml(text) : `<${TAGS[kind]}>${escapeHtml(text)}</${TAGS[kind]}>`,
        )
        .join(''),
    )
    .join(between);
}

export function plainProse(description = ''): string {
  return description.replaceAll(/[`*]/g, '').replaceAll(/\s+/g, ' ').trim();
}

/** A table, which scrolls if it is wide. */
export function tableHtml(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const head = headers.map((header) => `<th>${header}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`).join('');
  return `<div class="table" tabindex="0"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body}</tbody></table></div>\n`;
}
