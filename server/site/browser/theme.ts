import { createButton, element } from './element.js';

/** The dashboard uses the same key, so one choice serves both. */
const KEY = 'memory-service.theme';

export function applyTheme(): void {
  const chosen = read();
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

/** Adds the button that changes between light and dark colours. */
export function addThemeButton(): void {
  const button = createButton('theme', '◐', () => {
    const isDark = read() === 'dark' || (read() !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
    write(isDark ? 'light' : 'dark');
    applyTheme();
  });
  button.ariaLabel = 'Light or dark colours';
  element('header.top').append(button);
}

/** A browser may forbid storage, which then has nothing. */
function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return document.documentElement.dataset.theme ?? null;
  }
}

function write(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    document.documentElement.dataset.theme = theme;
  }
}
