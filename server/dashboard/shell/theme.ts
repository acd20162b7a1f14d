import { preference } from '../kit/browser/preference.js';

export type Theme = 'system' | 'light' | 'dark';

/** The themes to choose from. */
export const THEMES: Readonly<Record<Theme, string>> = {
  system: 'Colours of the system',
  light: 'Light colours',
  dark: 'Dark colours',
};

/** The colours of the pages. By default those of the system. */
export const theme = preference('theme', ['system', 'light', 'dark']);

export function applyTheme(): void {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

export function chooseTheme(chosen: Theme): void {
  theme.set(chosen);
  applyTheme();
}
