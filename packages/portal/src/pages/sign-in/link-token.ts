/**
 * The token of a mailed link. It stands in the fragment, which browsers send to nobody; the page takes it from there and
 * removes it from the address and the history at once, so that no screenshot, bookmark or later visitor has it.
 */

/** The skip link's own fragment. */
const MAIN = '#main';
const TOKEN_LENGTH_MAX = 512;

/** Null: the address carries no token. A broken one counts as one, so that its reader is told. */
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

/** The token of the link that was opened, once. */
export function takeLinkToken(): string | null {
  holdLinkToken();
  const token = held;
  held = null;
  return token;
}
