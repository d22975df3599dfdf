/**
 * The address of our page on which Paddle's checkout opens. Paddle adds the transaction to it as `_ptxn`; where the
 * buyer goes afterwards stands in it as paths of this origin, so that the page needs to ask nobody.
 */

export const PADDLE_PAGE = '/pay/paddle';
const ANY_ORIGIN = 'https://origin.invalid';
const CUSTOMER = 'customer';

export interface PaddlePageTarget {
  readonly returnUrl: string;
  readonly backUrl: string;
  /** Null: Paddle will add it. */
  readonly transaction: string | null;
  /** For whom the checkout was started, where Paddle keeps the address. */
  readonly customer?: string;
}

export function paddlePageUrl(publicUrl: string, target: PaddlePageTarget): string {
  const url = new URL(PADDLE_PAGE, publicUrl);
  const { returnUrl, backUrl, transaction, customer } = target;
  for (const [name, to] of Object.entries({ return: returnUrl, back: backUrl })) {
    const path = pathOn(publicUrl, to);
    if (path !== null) url.searchParams.set(name, path);
  }
  if (customer !== undefined) url.searchParams.set(CUSTOMER, customer);
  if (transaction !== null) url.searchParams.set('_ptxn', transaction);
  return url.href;
}

/** For whom a checkout with this address was started; null: it does not say. */
export function startedFor(url: string | null | undefined): string | null {
  return typeof url === 'string' && URL.canParse(url)
    ? new URL(url).searchParams.get(CUSTOMER)
    : null;
}

/** Null: it is no path of this origin. Whoever makes such an address up can send nobody elsewhere. */
export function ownPath(given: string | null): string | null {
  if (given === null || !/^\/(?![/\\])/.test(given) || !URL.canParse(given, ANY_ORIGIN))
    return null;
  const { origin, pathname, search } = new URL(given, ANY_ORIGIN);
  // `/.//example.com` is a path, and what is left of it when it is tidied is another host.
  const isOwn = origin === ANY_ORIGIN && !pathname.startsWith('//');
  return isOwn ? pathname + search : null;
}

function pathOn(publicUrl: string, to: string): string | null {
  if (!URL.canParse(to)) return null;
  const { origin, pathname, search } = new URL(to);
  return origin === new URL(publicUrl).origin ? ownPath(pathname + search) : null;
}
