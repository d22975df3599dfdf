/** Accounts, keys and stream tokens over a SQL database; see `keys-store.ts`. */

import type { SqlStore } from '../store/sql-store.ts';
import type { KeysStore } from './keys-store.ts';
import * as accounts from './sql-accounts.ts';
import * as keys from './sql-keys.ts';
import * as tokens from './sql-tokens.ts';

/** Housekeeping of tokens, some rows at a time. */
export const FORGOTTEN_TOKENS = [
  tokens.forgetTokens.bind(null, 'stream_tokens'),
  tokens.forgetTokens.bind(null, 'session_tokens'),
] as const;

export function sqlKeys(store: SqlStore): KeysStore {
  return {
    createAccount: store.writes((writing, call, account) =>
      accounts.createAccount(writing, call, store.newId('acc'), account),
    ),
    findAccount: store.reads(accounts.findAccount),
    listAccounts: store.reads(accounts.listAccounts),
    setGrants: store.writes(accounts.setGrants),
    setSuspended: store.writes(accounts.setSuspended),
    findKey: store.reads(keys.findKeyByHash),
    findKeyById: store.reads(tokens.findHolder),
    listKeys: store.reads(keys.listKeys),
    createKey: store.writes((writing, call, accountId, key, secret) =>
      keys.createKey(writing, call, accountId, { ...key, id: store.newId('key') }, secret),
    ),
    rotateKey: store.writes((writing, call, accountId, keyId, graceSeconds, secret) => {
      const rotation = { keyId, newId: store.newId('key'), graceSeconds, secret };
      return keys.rotateKey(writing, call, accountId, rotation);
    }),
    revokeKey: store.writes(keys.revokeKey),
    touchKeys: store.calls((routines, lastUsed) => routines.touchKeys(lastUsed)),
    issueToken: store.changes(tokens.issueToken),
    issueSessionToken: store.changes((sql, now, _accountId, token) =>
      tokens.issueSessionToken(sql, now, token),
    ),
    consumeToken: store.changes(tokens.consumeToken),
  };
}
