/**
 * The token of a mailed link. It is in the fragment, which browsers never send. The page removes it from the address
 * and the history at once, so that no screenshot, bookmark or later visitor has it.
 */

/** The skip link's own fragment. */
const MAIN = '#main';
const TOKEN_LENGTH_MAX = 512;

/** Null: the address carries no token. A malformed one counts as a token, so that the reader gets an error. */
export function linkTokenOf(hash: string): string | null {
  if (hash.length < 2 || hash.length > TOKEN_LENGTH_MAX || hash === MAIN) return null;
  return hash.slice(1);
}

let held: string | null = null;

/** Reads the token and cleans the address, before any page is loaded. */
export function holdLinkToken(): void {
  const token = linkTokenOf(location.hash);
  if (token === null) return;
  held = token;
  history.replaceState(history.state, '', location.pathname + location.search);
}

/** Returns the token once. */
export function takeLinkToken(): string | null {
  holdLinkToken();
  const token = held;
  held = null;
  return token;
}
