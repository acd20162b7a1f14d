import { countByStatus, isConforming, type Run } from '../run/outcome.js';

const LABEL = 'conformance';
const CHARACTER_WIDTH = 6.6;
const PADDING = 12;

/** A run as a picture of one line, to put on a page. */
export function renderBadge(run: Run): string {
  const { pass, fail, error } = countByStatus(run.outcomes);
  const text = isConforming(run) ? `${pass} of ${pass} pass` : `${fail + error} of ${pass + fail + error} fail`;
  const colour = isConforming(run) ? '#2e7d32' : '#c62828';
  const left = Math.round(LABEL.length * CHARACTER_WIDTH) + PADDING;
  const right = Math.round(text.length * CHARACTER_WIDTH) + PADDING;
  const at = (x: number, words: string) => `<text x="${x}" y="14" text-anchor="middle">${words}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${LABEL}: ${text}">`,
    `<title>${LABEL}: ${text}</title>`,
    `<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    `${at(left / 2, LABEL)}${at(left + right / 2, text)}`,
    '</g></svg>\n',
  ].join('\n');
}
