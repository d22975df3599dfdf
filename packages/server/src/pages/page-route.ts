/**
 * A page that the server makes itself, as others register it: the portal's files need none of this. Its
 * answers go out under the same policy as every page, so there is no script in them and no `style=`; a page that
 * cannot do without an outside service names its origins, and they are let in there and nowhere else.
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

/** What one page lets in beside what is ours. */
export interface LetIn {
  /** Origins, by the directive of the policy. */
  readonly sources: Readonly<
    Partial<Record<'script-src' | 'style-src' | 'img-src' | 'connect-src' | 'frame-src', string[]>>
  >;
  /** Origins whose frames may use the browser's own way to pay. */
  readonly payment: readonly string[];
}

/** HTML, a script of the route's own, or another address of this origin to go on to (by GET). */
export type PageAnswer =
  | { readonly status: number; readonly html: string; readonly letIn?: LetIn }
  /** Kept for ever: its address changes with it. */
  | { readonly status: number; readonly script: string }
  | { readonly seeOther: string };

export interface PageRoute {
  /** Every path that begins with it is this route's: `/pay/test/`; and so is the one without its last slash. */
  readonly below: `/${string}/`;
  /** Whether forms may be sent to it. They come from pages of the public address only, 16 KiB at most. */
  readonly takesForms: boolean;
  handle(request: PageRequest): Promise<PageAnswer> | PageAnswer;
}
