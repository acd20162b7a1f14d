import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

export type DocumentKind = 'readme' | 'changelog' | 'doc';

/** A document of an installed package. */
export interface SourceDocument {
  /** `<package>/<path>`, which is the same on every machine. */
  id: string;
  /** Name of the package. */
  project: string;
  /** Path within the package, with slashes. */
  path: string;
  kind: DocumentKind;
  text: string;
}

/**
 * Reads the READMEs, change logs and docs pages of the packages in `nodeModules`, ordered by name. Keeps the first of
 * equal texts. If there are more than `limit`, prefers direct dependencies and then READMEs.
 */
export async function readCorpus(nodeModules: string, limit: number): Promise<SourceDocument[]> {
  const direct = await readDirectDependencies(nodeModules);
  const found = (
    await Promise.all((await listPackages(nodeModules)).map((name) => listFiles(nodeModules, name)))
  ).flat();
  found.sort(
    (a, b) =>
      Number(direct.has(b.project)) - Number(direct.has(a.project)) ||
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      compare(a.id, b.id),
  );

  const documents = new Map<string, SourceDocument>();
  for (const { file, ...document } of found) {
    if (documents.size >= limit) break;
    const text = await readText(file);
    const key = createHash('sha256').update(text).digest('hex');
    if (text.trim().length >= MIN_LENGTH && !documents.has(key)) documents.set(key, { ...document, text });
  }
  return [...documents.values()].sort((a, b) => compare(a.id, b.id));
}

/** Compares by code unit, since collation differs between machines. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Ranks documents for the case that there are more than `limit`. */
const KINDS: readonly DocumentKind[] = ['readme', 'doc', 'changelog'];
const MIN_LENGTH = 200;
const README = /^readme(?:\.(?:md|markdown|txt))?$/i;
const CHANGELOG = /^(?:changelog|changes|history)(?:\.(?:md|markdown|txt))?$/i;
const MARKDOWN = /\.(?:md|markdown)$/i;
const DOCS_FOLDER = /(?:^|\/)docs?\//i;
const NO_DOCUMENT = /^(?:licen[cs]e|third[-_]?party|code[-_]of[-_]conduct|security|contributing)/i;

/** Detects the kind of a file by its name. Returns undefined if it is not a document. */
export function documentKind(path: string): DocumentKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (README.test(name)) return 'readme';
  if (CHANGELOG.test(name)) return 'changelog';
  return DOCS_FOLDER.test(path) && MARKDOWN.test(name) && !NO_DOCUMENT.test(name) ? 'doc' : undefined;
}

interface FoundFile extends Omit<SourceDocument, 'text'> {
  file: string;
}

interface Manifest {
  workspaces?: readonly string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Returns the dependencies of the package that contains `nodeModules`, and of its workspaces. */
async function readDirectDependencies(nodeModules: string): Promise<ReadonlySet<string>> {
  const root = dirname(nodeModules);
  const own = await readManifest(root);
  const others = await Promise.all((own.workspaces ?? []).map((folder) => readManifest(join(root, folder))));
  return new Set(
    [own, ...others].flatMap(({ dependencies, devDependencies }) =>
      Object.keys({ ...dependencies, ...devDependencies }),
    ),
  );
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')) as Manifest;
}

async function listPackages(nodeModules: string): Promise<string[]> {
  const names = await subfolders(nodeModules);
  const listed = names.map(async (name) =>
    name.startsWith('@') ? (await subfolders(join(nodeModules, name))).map((inner) => `${name}/${inner}`) : [name],
  );
  return (await Promise.all(listed)).flat();
}

async function subfolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

/** Lists files, without hidden folders and nested packages, which are usually older copies. */
async function listFiles(nodeModules: string, project: string): Promise<FoundFile[]> {
  const root = join(nodeModules, project);
  const files: FoundFile[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const file = join(folder, entry.name);
      if (entry.isDirectory()) await visit(file);
      if (!entry.isFile()) continue;
      const path = relative(root, file).split(sep).join('/');
      const kind = documentKind(path);
      if (kind) files.push({ id: `${project}/${path}`, project, path, kind, file });
    }
  };
  await visit(root);
  return files;
}

async function readText(file: string): Promise<string> {
  const text = (await readFile(file)).toString('utf8');
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\u0000', '');
}
