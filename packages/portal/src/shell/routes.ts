/** Every page of the portal: its address and its module, imported at the first visit. */

import type { FunctionComponent } from 'preact';
import { lazy } from 'preact-iso';
import { PageFailed } from './page-failed.tsx';
import type { PagePath } from './page-paths.ts';

function later(load: () => Promise<FunctionComponent>): FunctionComponent {
  return lazy<FunctionComponent>(() =>
    load().catch((error: unknown) => {
      // Offline, or replaced by a newer version; loading a new document tells which.
      console.error(error);
      return PageFailed;
    }),
  );
}

const legal = later(async () => (await import('../pages/legal/legal-page.tsx')).LegalPage);
export const NOT_FOUND = later(
  async () => (await import('../pages/not-found/not-found-page.tsx')).NotFoundPage,
);

export const PAGES: Readonly<Record<PagePath, FunctionComponent>> = {
  '/sign-in': later(async () => (await import('../pages/sign-in/sign-in-page.tsx')).SignInPage),
  '/dashboard': later(
    async () => (await import('../pages/dashboard/dashboard-page.tsx')).DashboardPage,
  ),
  '/keys': later(async () => (await import('../pages/keys/keys-page.tsx')).KeysPage),
  '/plans': later(async () => (await import('../pages/plans/plans-page.tsx')).PlansPage),
  '/checkout': later(
    async () => (await import('../pages/checkout/checkout-page.tsx')).CheckoutPage,
  ),
  '/orders': later(async () => (await import('../pages/orders/orders-page.tsx')).OrdersPage),
  '/withdraw': later(
    async () => (await import('../pages/withdraw/withdraw-page.tsx')).WithdrawPage,
  ),
  '/account': later(async () => (await import('../pages/account/account-page.tsx')).AccountPage),
  '/status': later(async () => (await import('../pages/status/status-page.tsx')).StatusPage),
  '/imprint': legal,
  '/privacy': legal,
  '/terms': legal,
};
