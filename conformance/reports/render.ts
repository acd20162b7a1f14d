import type { ReportKind } from '../run/options.js';
import type { Run } from '../run/outcome.js';
import { renderBadge } from './badge.js';
import { renderHtml } from './html.js';
import { renderJson } from './json.js';
import { renderJunit } from './junit.js';

const RENDERERS: Record<ReportKind, (run: Run) => string> = {
  json: renderJson,
  junit: renderJunit,
  html: renderHtml,
  badge: renderBadge,
};

/** The text of a report's file. */
export function renderReport(kind: ReportKind, run: Run): string {
  return RENDERERS[kind](run);
}
