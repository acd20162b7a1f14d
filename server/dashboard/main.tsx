import './design/tokens.css';
import './design/base.css';
import { options, render } from 'preact';
import { App } from './app.js';
import { createQueryClient } from './data/query-client.js';
import { readFirst } from './first-reads.js';

/** Age of a page whose own files have long arrived. */
const SETTLED_MS = 10_000;
/** Longest wait for what the page shows first. The document shows a skeleton meanwhile. */
const FIRST_READS_MS = 1_000;

const root = document.getElementById('dashboard');
if (!root) throw new Error('the document has no place for the dashboard');

// Effects send the reads of a page. They do not wait for a frame that has nothing to show yet.
options.requestAnimationFrame = (flush) => {
  setTimeout(flush);
};
// A release replaces the files of pages that an open tab has not loaded yet. A fault that a reload does not fix is shown.
addEventListener('vite:preloadError', () => {
  if (navigator.onLine && performance.now() > SETTLED_MS) location.reload();
});
const queries = createQueryClient();
const limit = new Promise((resolve) => setTimeout(resolve, FIRST_READS_MS));
// Not awaited here: pages import from this script, which must have run before they can.
void Promise.race([readFirst(queries), limit]).then(() => {
  root.replaceChildren();
  render(<App queries={queries} />, root);
});
