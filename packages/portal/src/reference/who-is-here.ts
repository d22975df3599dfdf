/** The reader's account; null without a session. Sends no request if no sign-in is remembered here. */

import { portalApi } from '../api/portal-api.ts';
import { PortalError } from '../api/portal-error.ts';
import type { AccountView } from '../api/portal-shapes.ts';
import { isProbablySignedIn } from '../shell/signed-in-hint.ts';

export async function whoIsHere(): Promise<AccountView | null> {
  if (!isProbablySignedIn()) return null;
  try {
    return await portalApi.account();
  } catch (error) {
    if (error instanceof PortalError) return null;
    throw error;
  }
}
