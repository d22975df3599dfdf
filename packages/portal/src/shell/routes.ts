/**
 * Every page of the portal: its address, its module, and the frame around it. `app` pages need a session; `either` ones
 * are shown to everybody, and have the side bar for who is signed in; `bare` ones stand alone.
 */

import type { FunctionComponent } from 'preact';
import { lazy } from 'preact-iso';

export type Frame = 'app' | 'either' | 'bare';

export interface PageRoute {
  readonly path: string;
  readonly frame: Frame;
  readonly page: FunctionComponent;
}

/** A page's module comes when it is first looked at. */
function later(load: () => Promise<FunctionComponent>): FunctionComponent {
  return lazy<FunctionComponent>(load);
}

const signIn = later(async () => (await import('../pages/sign-in/sign-in-page.tsx')).SignInPage);
const dashboard = later(
  async () => (await import('../pages/dashboard/dashboard-page.tsx')).DashboardPage,
);
const keys = later(async () => (await import('../pages/keys/keys-page.tsx')).KeysPage);
const plans = later(async () => (await import('../pages/plans/plans-page.tsx')).PlansPage);
const checkout = later(
  async () => (await import('../pages/checkout/checkout-page.tsx')).CheckoutPage,
);
const orders = later(async () => (await import('../pages/orders/orders-page.tsx')).OrdersPage);
const account = later(async () => (await import('../pages/account/account-page.tsx')).AccountPage);
const status = later(async () => (await import('../pages/status/status-page.tsx')).StatusPage);
const legal = later(async () => (await import('../pages/legal/legal-page.tsx')).LegalPage);
export const NOT_FOUND = later(
  async () => (await import('../pages/not-found/not-found-page.tsx')).NotFoundPage,
);

export const PAGE_ROUTES: readonly PageRoute[] = [
  { path: '/sign-in', frame: 'bare', page: signIn },
  { path: '/dashboard', frame: 'app', page: dashboard },
  { path: '/keys', frame: 'app', page: keys },
  { path: '/plans', frame: 'either', page: plans },
  { path: '/checkout', frame: 'app', page: checkout },
  { path: '/orders', frame: 'app', page: orders },
  { path: '/account', frame: 'app', page: account },
  { path: '/status', frame: 'either', page: status },
  { path: '/imprint', frame: 'either', page: legal },
  { path: '/privacy', frame: 'either', page: legal },
  { path: '/terms', frame: 'either', page: legal },
];

/** Links to these are followed without a new document; all others are the browser's own. */
export const APP_PATHS = new RegExp(
  `^(?:${PAGE_ROUTES.map(({ path }) => path).join('|')})/?(?:[?#]|$)`,
);

export function routeOf(path: string): PageRoute | null {
  return PAGE_ROUTES.find((route) => route.path === path) ?? null;
}
