import { addCopyButtons } from './copy.js';
import { addMenu } from './menu.js';
import { startSearch } from './search.js';
import { addThemeButton, applyTheme } from './theme.js';

// Before the page is painted.
applyTheme();
document.addEventListener('DOMContentLoaded', () => {
  addMenu();
  addThemeButton();
  addCopyButtons();
  startSearch();
});
