/**
 * A page that the server makes itself, as other modules register it. Its answers go out under the same policy as every
 * page, so they have no inline script and no `style=`. A page that needs an outside service declares its origins, which
 * are allowed there and nowhere else.
 */

export interface PageRequest {
  readonly method: 'GET' | 'POST';
  /** As sent, nothing decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fields of a form; empty for a GET. */
  readonly form: URLSearchParams;
  /** Addresses of the portal's style sheets, for `pageDocument`; none before the portal is built. */
  readonly styles: readonly string[];
  /** Its script for the reader's own theme, and its icon; null where there is none. */
  readonly theme: string | null;
  readonly icon: string | null;
}

/** The outside origins that one page allows. */
export interface LetIn {
  /** Origins, by the directive of the policy. */
  readonly sources: Readonly<
    Partial<Record<'script-src' | 'style-src' | 'img-src' | 'connect-src' | 'frame-src', string[]>>
  >;
  /** Origins whose frames may use the browser's payment interface. */
  readonly payment: readonly string[];
}

/** HTML, a script of the route's own, or a redirect (by GET) within this origin. */
export type PageAnswer =
  | { readonly status: number; readonly html: string; readonly letIn?: LetIn }
  /** Cached for ever: its address changes with its content. */
  | { readonly status: number; readonly script: string }
  | { readonly seeOther: string };

export interface PageRoute {
  /** The route has every path that begins with it (`/pay/test/`), and the one without the last slash. */
  readonly below: `/${string}/`;
  /** Whether it accepts forms: from pages of the public address only, 16 KiB at most. */
  readonly takesForms: boolean;
  handle(request: PageRequest): Promise<PageAnswer> | PageAnswer;
}
