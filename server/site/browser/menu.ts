import { createButton, element } from './element.js';

/** Adds the button that opens the list of pages where it has no room beside the content. */
export function addMenu(): void {
  const pages = element('nav.pages');
  const button = createButton('menu', 'Menu', () => setOpen(!pages.classList.contains('open')));
  button.setAttribute('aria-controls', 'pages');
  const setOpen = (isOpen: boolean) => {
    pages.classList.toggle('open', isOpen);
    button.ariaExpanded = String(isOpen);
  };
  setOpen(false);
  // Without a script the list stays open.
  document.documentElement.classList.add('scripted');
  element('header.top').prepend(button);
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') setOpen(false);
  });
  pages.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}
