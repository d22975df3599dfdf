/** Passkeys over a SQL database; see `passkeys-store.ts`. */

import type { SqlStore } from '../store/sql-store.ts';
import type { PasskeysStore } from './passkeys-store.ts';
import * as challenges from './sql-passkey-challenges.ts';
import * as recoveries from './sql-passkey-recoveries.ts';
import * as passkeys from './sql-passkeys.ts';

export function sqlPasskeys(store: SqlStore): PasskeysStore {
  return {
    addChallenge: store.changes(challenges.addChallenge),
    useChallenge: store.changes(challenges.useChallenge),
    signedBy: store.changes(passkeys.signedBy),
    passkeysOf: store.reads(passkeys.passkeysOf),
    addPasskey: store.writes((writing, call, accountId, passkey) =>
      passkeys.addPasskey(writing, call, accountId, passkey, store.newId('pky')),
    ),
    removePasskey: store.writes(passkeys.removePasskey),
    removePasskeys: store.writes(passkeys.removePasskeys),
    usePasskey: store.changes(passkeys.usePasskey),
    signInByPasskey: store.writes((writing, now, accountId, use, session) =>
      passkeys.signInByPasskey(writing, now, accountId, use, {
        ...session,
        id: store.newId('ses'),
      }),
    ),
    setSecondFactor: store.writes(passkeys.setSecondFactor),
    recoveryOf: store.reads(recoveries.recoveryOf),
    askRecovery: store.writes(recoveries.askRecovery),
    stopRecoveryByLink: store.writes(recoveries.stopRecoveryByLink),
    stopRecovery: store.writes(recoveries.stopRecovery),
  };
}
