/** The routes of the portal, all below `/v1/portal/`. What changes something is for its own pages only. */

import type { Route } from '../server/route.ts';
import { accountExportRoute } from './account-export-route.ts';
import { accountRoutes } from './account-routes.ts';
import { deletionRoutes } from './deletion-routes.ts';
import { emailRoutes } from './email-routes.ts';
import { mailsRoute } from './mails-route.ts';
import { passkeySignInRoutes } from './passkey-sign-in-routes.ts';
import { passkeysRoutes } from './passkeys-routes.ts';
import type { PortalFacts } from './portal-facts.ts';
import { recoveryRoutes } from './recovery-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';

export function portalRoutes(facts: () => PortalFacts): readonly Route[] {
  return [
    ...signInRoutes(facts),
    ...sessionRoutes(facts),
    ...accountRoutes(facts),
    ...emailRoutes(facts),
    accountExportRoute(facts),
    ...deletionRoutes(facts),
    mailsRoute(facts),
    ...passkeySignInRoutes(facts),
    ...passkeysRoutes(facts),
    ...recoveryRoutes(facts),
  ];
}
