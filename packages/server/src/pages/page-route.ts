/**
 * A page that the server makes itself, as others register it: the portal's files need none of this. Its
 * answers go out under the same policy as every page, so there is no script in them and no `style=`.
 */

export interface PageRequest {
  readonly method: 'GET' | 'POST';
  /** As it was sent, nothing decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** What a form sent; empty for a GET. */
  readonly form: URLSearchParams;
  /** Addresses of the portal's style sheets, for `pageDocument`; none before the portal is built. */
  readonly styles: readonly string[];
  /** Its script for the reader's own theme, and its icon; null where there is none. */
  readonly theme: string | null;
  readonly icon: string | null;
}

/** HTML, or another address of this origin to go on to (by GET). */
export type PageAnswer =
  | { readonly status: number; readonly html: string }
  | { readonly seeOther: string };

export interface PageRoute {
  /** Every path that begins with it is this route's: `/pay/test/`. */
  readonly below: `/${string}/`;
  /** Whether forms may be sent to it. They come from pages of the public address only, 16 KiB at most. */
  readonly takesForms: boolean;
  handle(request: PageRequest): Promise<PageAnswer> | PageAnswer;
}
