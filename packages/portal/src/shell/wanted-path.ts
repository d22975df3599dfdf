/** Where to go after signing in: the wanted page, if it is one of ours. */

export const AFTER_SIGN_IN = '/dashboard';
const PATH_LENGTH_MAX = 512;

/** A path of this origin, or the overview. Rejects everything that a browser could read as another origin. */
export function wantedPath(next: string | null | undefined): string {
  if (typeof next !== 'string' || next.length > PATH_LENGTH_MAX) return AFTER_SIGN_IN;
  // `//host` and `/\host` lead elsewhere, and browsers drop control characters before they parse an address.
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) return AFTER_SIGN_IN;
  const base = 'http://portal.invalid';
  const url = URL.canParse(next, base) ? new URL(next, base) : null;
  // `/.//host` is a path, but normalised it is another host.
  if (url === null || url.origin !== base || url.pathname.startsWith('//')) return AFTER_SIGN_IN;
  if (url.pathname === '/' || url.pathname.startsWith('/sign-in')) return AFTER_SIGN_IN;
  return url.pathname + url.search;
}

/** The sign-in page, with the way back. */
export function signInPath(from: string): string {
  const wanted = wantedPath(from);
  return wanted === AFTER_SIGN_IN ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`;
}
