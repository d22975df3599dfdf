/** Every page of the portal: its address and its module, which comes when it is first looked at. */

import type { FunctionComponent } from 'preact';
import { lazy } from 'preact-iso';
import { PageFailed } from './page-failed.tsx';
import type { PagePath } from './page-paths.ts';

function later(load: () => Promise<FunctionComponent>): FunctionComponent {
  return lazy<FunctionComponent>(() =>
    load().catch((error: unknown) => {
      // Offline, or a newer version took its place; a new document finds out which.
      console.error(error);
      return PageFailed;
    }),
  );
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
const withdraw = later(
  async () => (await import('../pages/withdraw/withdraw-page.tsx')).WithdrawPage,
);
const account = later(async () => (await import('../pages/account/account-page.tsx')).AccountPage);
const status = later(async () => (await import('../pages/status/status-page.tsx')).StatusPage);
const legal = later(async () => (await import('../pages/legal/legal-page.tsx')).LegalPage);
export const NOT_FOUND = later(
  async () => (await import('../pages/not-found/not-found-page.tsx')).NotFoundPage,
);

export const PAGES: Readonly<Record<PagePath, FunctionComponent>> = {
  '/sign-in': signIn,
  '/dashboard': dashboard,
  '/keys': keys,
  '/plans': plans,
  '/checkout': checkout,
  '/orders': orders,
  '/withdraw': withdraw,
  '/account': account,
  '/status': status,
  '/imprint': legal,
  '/privacy': legal,
  '/terms': legal,
};
