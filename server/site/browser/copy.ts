import { createButton } from './element.js';

const DONE_MS = 1_500;

/** Adds a button to each block of code that copies it. Browsers have a clipboard only on secure origins. */
export function addCopyButtons(): void {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('.code')) {
    const code = block.querySelector('code')?.textContent ?? '';
    const button = createButton('copy', 'Copy', async () => {
      await navigator.clipboard.writeText(code);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, DONE_MS);
    });
    block.append(button);
  }
}
