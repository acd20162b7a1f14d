import { defineConfig } from 'vite';
import { noticesOf } from '../notices.mjs';

export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [notices()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The browsers that have popovers, light-dark() and nested style rules.
    target: ['chrome125', 'firefox128', 'safari17.5'],
    // The policy of the pages forbids inline scripts and data URLs.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // A slow machine is no fault of the build.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});

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
