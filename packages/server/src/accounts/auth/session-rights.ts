/** The rights of a session's tokens: to stream what the account's plan grants, and nothing else. */

import type { KeyRights } from '@tapeloom/core/entitlement/key-rights';

export const SESSION_RIGHTS: KeyRights = {
  environment: 'live',
  scopes: ['stream'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
};
