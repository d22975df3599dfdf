/** Who reads the page: the account of who is signed in, or null. Nobody is asked who was never signed in here. */

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
