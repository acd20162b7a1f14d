import { type Hit, type IndexEntry, SearchIndex } from '../search/search-index.js';
import { element } from './element.js';

const MAX_HITS = 12;

/** Makes the search field work. The index is loaded when somebody first uses the field. */
export function startSearch(): void {
  const search = element('search');
  const input = element<HTMLInputElement>('input', search);
  const panel = element('.found', search);
  const list = element('ul', panel);
  const status = element('[role=status]', panel);
  let index: Promise<SearchIndex> | undefined;

  /** Loads the index once. A failed load is repeated at the next use. */
  const loaded = () => {
    if (!index) {
      index = load();
      index.catch(() => {
        index = undefined;
      });
    }
    return index;
  };
  const show = async () => {
    const query = input.value.trim();
    panel.hidden = query === '';
    if (query === '') return;
    try {
      const hits = (await loaded()).find(query, MAX_HITS);
      if (query !== input.value.trim()) return;
      list.replaceChildren(...hits.map(itemOf));
      status.textContent = hits.length === 0 ? 'Nothing found' : `${hits.length} found`;
    } catch {
      list.replaceChildren();
      status.textContent = 'The index did not load. Searching needs a web server: npm run docs';
    }
  };
  search.hidden = false;
  input.addEventListener('focus', () => {
    void loaded();
    void show();
  });
  input.addEventListener('input', show);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      panel.hidden = true;
      input.focus();
    }
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === 'Enter' && at === -1) links[0]?.click();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const next = event.key === 'ArrowDown' ? Math.min(at + 1, links.length - 1) : at - 1;
    (links[next] ?? input).focus();
  });
  addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Node && search.contains(target))) panel.hidden = true;
  });
  list.addEventListener('click', () => {
    panel.hidden = true;
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

async function load(): Promise<SearchIndex> {
  const response = await fetch(document.documentElement.dataset.index ?? '');
  if (!response.ok) throw new Error(`the index was answered with ${response.status}`);
  return new SearchIndex((await response.json()) as IndexEntry[]);
}

function itemOf({ entry, excerpt }: Hit): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = entry.address;
  link.append(
    text('strong', entry.heading),
    ...(entry.page === entry.heading ? [] : [text('small', entry.page)]),
    text('span', excerpt),
  );
  item.append(link);
  return item;
}

function text(name: string, content: string): HTMLElement {
  const created = document.createElement(name);
  created.textContent = content;
  return created;
}
