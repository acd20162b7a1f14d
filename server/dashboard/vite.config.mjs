import { defineConfig } from 'vite';
import { noticesOf } from '../packaging/notices.mjs';

const root = import.meta.dirname;
/** The component of a page, which is loaded when the page is opened. */
const PAGE = /\/pages\/([\w-]+)\/\1-page\.tsx$/;

/** Few files for each page: every file is a request. */
const GROUPS = [
  {
    name: 'early',
    test: /\/(?:early|data\/early-reads|pages\/memories\/list-query|shell\/theme|kit\/browser\/preference)\.ts$/,
    priority: 2,
  },
  { name: 'shared', minShareCount: 2, test: /\/(?:kit|data|node_modules)\/|\/list-read\.ts$/, priority: 1 },
];

export default defineConfig({
  root,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [documents(), notices()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The browsers that have popovers, light-dark() and nested style rules.
    target: ['chrome125', 'firefox128', 'safari17.5'],
    // The policy of the pages forbids inline scripts and data URLs.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: `${root}/index.html`, early: `${root}/early.ts` },
      output: { codeSplitting: { groups: GROUPS } },
      // A slow machine is no fault of the build.
      checks: { bundlerTimings: false },
    },
  },
});

/** Runs the early script in the document, and writes one document for each page, which names what the page loads. */
function documents() {
  return {
    name: 'documents',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      const early = chunks.find(({ name }) => name === 'early');
      const first = `<script type="module" async crossorigin src="/${early.fileName}"></script>\n    `;
      const document = bundle['index.html'].source.replace(preloadOf(early), '').replace('<script', `${first}<script`);
      bundle['index.html'].source = document;
      for (const chunk of chunks) {
        const [, page] = PAGE.exec(chunk.facadeModuleId ?? '') ?? [];
        if (page === undefined) continue;
        this.emitFile({ type: 'asset', fileName: `${page}.html`, source: withTags(document, tagsOf(chunk, bundle)) });
      }
    },
  };
}

/** Adds tags to the head of a document, except those of files that it names already. */
function withTags(document, tags) {
  const isNew = (tag) => !document.includes(/"\/[^"]+"/.exec(tag)[0]);
  const added = tags.filter(isNew).map((tag) => `  ${tag}\n  `);
  return document.replace('</head>', `${added.join('')}</head>`);
}

/** The tags that load a chunk, and all that it imports, without running it. */
function tagsOf(chunk, bundle) {
  const loaded = new Set([chunk]);
  for (const { imports } of loaded) for (const name of imports) loaded.add(bundle[name]);
  const all = [...loaded];
  return [
    ...all.map(preloadOf),
    ...all
      .flatMap(({ viteMetadata }) => [...viteMetadata.importedCss])
      .map((name) => `<link rel="stylesheet" crossorigin href="/${name}">`),
  ];
}

function preloadOf({ fileName }) {
  return `<link rel="modulepreload" crossorigin href="/${fileName}">`;
}

/** Writes the licences of the packages in the output beside it. */
function notices() {
  return {
    name: 'notices',
    generateBundle(_options, bundle) {
      const moduleIds = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source: noticesOf(moduleIds) });
    },
  };
}
