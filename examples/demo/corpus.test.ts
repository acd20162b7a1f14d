import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { documentKind, readCorpus } from './corpus.js';

const FILLER = 'Something to read. '.repeat(20);

/** Creates a folder with the given files and returns its `node_modules`. */
async function project(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'corpus-test-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return join(root, 'node_modules');
}

describe('documentKind', () => {
  test.each([
    ['README.md', 'readme'],
    ['Readme', 'readme'],
    ['lib/inner/readme.markdown', 'readme'],
    ['CHANGELOG.md', 'changelog'],
    ['HISTORY.md', 'changelog'],
    ['docs/api.md', 'doc'],
    ['packages/a/doc/guide/start.md', 'doc'],
  ])('detects %s as a %s', (path, kind) => {
    expect(documentKind(path)).toBe(kind);
  });

  test.each([
    'LICENSE.md',
    'docs/LICENSE.md',
    'docs/logo.svg',
    'README.fr.md',
    'lib/notes.md',
    'index.js',
    'mydocs/a.md',
  ])('skips %s', (path) => {
    expect(documentKind(path)).toBeUndefined();
  });
});

describe('readCorpus', () => {
  test('finds the documents of plain and of scoped packages, ordered by id', async () => {
    const nodeModules = await project({
      'node_modules/zeta/README.md': `zeta ${FILLER}`,
      'node_modules/zeta/docs/api.md': `api ${FILLER}`,
      'node_modules/@scope/alpha/CHANGELOG.md': `alpha ${FILLER}`,
      'node_modules/Beta/README.md': `beta ${FILLER}`,
    });

    const documents = await readCorpus(nodeModules, 10);

    expect(documents).toEqual([
      {
        id: '@scope/alpha/CHANGELOG.md',
        project: '@scope/alpha',
        path: 'CHANGELOG.md',
        kind: 'changelog',
        text: `alpha ${FILLER}`,
      },
      { id: 'Beta/README.md', project: 'Beta', path: 'README.md', kind: 'readme', text: `beta ${FILLER}` },
      { id: 'zeta/README.md', project: 'zeta', path: 'README.md', kind: 'readme', text: `zeta ${FILLER}` },
      { id: 'zeta/docs/api.md', project: 'zeta', path: 'docs/api.md', kind: 'doc', text: `api ${FILLER}` },
    ]);
  });

  test('skips hidden folders, packages within packages, and short texts', async () => {
    const nodeModules = await project({
      'node_modules/.cache/README.md': `cache ${FILLER}`,
      'node_modules/one/.github/README.md': `hidden ${FILLER}`,
      'node_modules/one/node_modules/two/README.md': `nested ${FILLER}`,
      'node_modules/one/README.md': 'See the website.',
    });

    expect(await readCorpus(nodeModules, 10)).toEqual([]);
  });

  test('keeps the first of equal texts, ignoring line endings', async () => {
    const nodeModules = await project({
      'node_modules/one/README.md': `same\n${FILLER}`,
      'node_modules/two/README.md': `same\r\n${FILLER}`,
    });

    const documents = await readCorpus(nodeModules, 10);

    expect(documents.map(({ id }) => id)).toEqual(['one/README.md']);
  });

  test('prefers direct dependencies and then READMEs when there are too many', async () => {
    const nodeModules = await project({
      'package.json': JSON.stringify({ dependencies: { wanted: '1' }, devDependencies: { tool: '1' } }),
      'node_modules/a/README.md': `a ${FILLER}`,
      'node_modules/b/README.md': `b ${FILLER}`,
      'node_modules/tool/README.md': `tool ${FILLER}`,
      'node_modules/wanted/CHANGELOG.md': `changes ${FILLER}`,
      'node_modules/wanted/README.md': `wanted ${FILLER}`,
    });

    const two = await readCorpus(nodeModules, 2);
    const four = await readCorpus(nodeModules, 4);

    expect(two.map(({ id }) => id)).toEqual(['tool/README.md', 'wanted/README.md']);
    expect(four.map(({ id }) => id)).toEqual([
      'a/README.md',
      'tool/README.md',
      'wanted/CHANGELOG.md',
      'wanted/README.md',
    ]);
  });
});
