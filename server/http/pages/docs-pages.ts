import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { lazily } from '../contract/lazily.js';
import { listFiles } from './list-files.js';
import { FOREVER, type Pages } from './pages.js';

/** Finds what the build wrote; works from sources and from the build. */
const require = createRequire(import.meta.url);

const PATH = /^\/docs\/(assets\/)?([^/]*)$/;

/** The built documentation. Its links are relative, so that its folder works on any web server. */
export function docsPages(): Pages {
  const folder = lazily(() => dirname(require.resolve('#site/index.html')));
  const pages = lazily(() => listFiles(folder(), 'no-cache'));
  const assets = lazily(() => listFiles(join(folder(), 'assets'), FOREVER));
  return {
    find(path) {
      if (path === '/docs') return { movedTo: '/docs/' };
      const [, isAsset, name = ''] = PATH.exec(path) ?? [];
      if (isAsset) return assets().get(name)?.();
      if (!path.startsWith('/docs/')) return undefined;
      return pages().get(path === '/docs/' ? 'index.html' : name)?.();
    },
  };
}
