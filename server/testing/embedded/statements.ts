import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { vi } from 'vitest';
import { Connection } from '../../adapters/sqlite/engine/connection.js';

/** Records the statements that connections run from now on, until `vi.restoreAllMocks`. */
export function recordStatements(): () => ReadonlySet<string> {
  const spies = (['run', 'get', 'all'] as const).map((method) => vi.spyOn(Connection.prototype, method));
  return () => new Set(spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql)));
}

/** A step of a query plan, such as `SCAN memories`. */
export interface PlanStep {
  sql: string;
  detail: string;
}

export function plansOf(connection: Connection, statements: Iterable<string>): PlanStep[] {
  return [...statements]
    .filter((sql) => !/^\s*PRAGMA/.test(sql))
    .flatMap((sql) =>
      connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => ({ sql, detail })),
    );
}

/** A string in the source that contains a statement or a part of one. */
interface SqlText {
  file: string;
  text: string;
  /** Reports if a statement contains the text, with anything at the places of substitutions. */
  isIn: (sql: string) => boolean;
}

const SQL = /\b(SELECT|FROM|WHERE|INSERT|UPDATE|DELETE|VALUES|ORDER BY|IS NOT NULL)\b/;

/** Returns all SQL in the modules of a folder, except tests and migrations. */
export function sqlTexts(folder: string): SqlText[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name) && !entry.parentPath.endsWith('migrations'),
    )
    .flatMap((entry) => sqlTextsOf(join(entry.parentPath, entry.name)));
}

function sqlTextsOf(file: string): SqlText[] {
  const found: SqlText[] = [];
  const visit = (node: ts.Node): void => {
    const parts = partsOf(node);
    if (parts && SQL.test(parts.join(' '))) {
      found.push({ file, text: parts.join('…'), isIn: (sql) => containsInOrder(sql, parts) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
  return found;
}

/** Returns the texts of a literal around its substitutions. */
function partsOf(node: ts.Node): string[] | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
}

/** Reports if a text contains all parts one after the other. A regular expression takes a minute for long statements. */
function containsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}
