/** Returns the address that asks to sign in and comes back to a page. */
export function signInAddress(page: string): string {
  return page === '/' || page.startsWith('/sign-in') ? '/sign-in' : `/sign-in?next=${encodeURIComponent(page)}`;
}

/** Returns the page to come back to. Only pages of this service count, whatever the address says. */
export function pageAfterSignIn(next: string | undefined, origin: string): string {
  if (next === undefined || !URL.canParse(next, origin)) return '/';
  const url = new URL(next, origin);
  return url.origin === origin && next.startsWith('/') ? `${url.pathname}${url.search}` : '/';
}
