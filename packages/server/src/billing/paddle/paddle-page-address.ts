/**
 * The address of our page on which Paddle's checkout opens. Paddle adds the transaction to it as `_ptxn`. The buyer's
 * next pages are paths of this origin in it, so the page needs no look-up.
 */

export const PADDLE_PAGE = '/pay/paddle';
const ANY_ORIGIN = 'https://origin.invalid';
const CUSTOMER = 'customer';

export interface PaddlePageTarget {
  readonly returnUrl: string;
  readonly backUrl: string;
  /** Null: Paddle will add it. */
  readonly transaction: string | null;
  /** The customer for whom the checkout was started; Paddle stores this address with the transaction. */
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

/** The customer for whom a checkout with this address was started; null: unknown. */
export function startedFor(url: string | null | undefined): string | null {
  return typeof url === 'string' && URL.canParse(url)
    ? new URL(url).searchParams.get(CUSTOMER)
    : null;
}

/** Null: it is no path of this origin. So a forged address cannot redirect a buyer elsewhere. */
export function ownPath(given: string | null): string | null {
  if (given === null || !/^\/(?![/\\])/.test(given) || !URL.canParse(given, ANY_ORIGIN))
    return null;
  const { origin, pathname, search } = new URL(given, ANY_ORIGIN);
  // `/.//example.com` is a path, but once normalized it names another host.
  const isOwn = origin === ANY_ORIGIN && !pathname.startsWith('//');
  return isOwn ? pathname + search : null;
}

function pathOn(publicUrl: string, to: string): string | null {
  if (!URL.canParse(to)) return null;
  const { origin, pathname, search } = new URL(to);
  return origin === new URL(publicUrl).origin ? ownPath(pathname + search) : null;
}
