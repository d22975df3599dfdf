/** The routes of the portal, all below `/v1/portal/`. Changes are accepted from its own pages only. */

import type { Route } from '../server/route.ts';
import { accountExportRoute } from './account/account-export-route.ts';
import { accountRoutes } from './account/account-routes.ts';
import { deletionRoutes } from './account/deletion-routes.ts';
import { emailRoutes } from './account/email-routes.ts';
import { mailsRoute } from './account/mails-route.ts';
import { layoutsRoutes } from './layouts/layouts-routes.ts';
import { passkeySignInRoutes } from './passkeys/passkey-sign-in-routes.ts';
import { passkeysRoutes } from './passkeys/passkeys-routes.ts';
import { recoveryRoutes } from './passkeys/recovery-routes.ts';
import type { PortalFacts } from './portal-facts.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { signInRoutes } from './sessions/sign-in-routes.ts';

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
    ...layoutsRoutes(facts),
  ];
}
