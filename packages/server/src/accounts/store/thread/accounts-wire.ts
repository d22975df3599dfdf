/**
 * Messages between the main thread and the accounts' thread. Responses may arrive in another order than their calls; a
 * change is reported before the response to the call that made it.
 */

import type { ThreadShape } from '../../../platform/threads/thread.ts';
import type { AccountChange, AccountStore, StoreTrouble } from '../account-store.ts';

export type StorePart =
  | 'people'
  | 'orders'
  | 'withdrawals'
  | 'mails'
  | 'status'
  | 'passkeys'
  | 'layouts';

export type StoreMethod = Exclude<
  keyof AccountStore,
  'onChange' | 'onWrittenElsewhere' | 'onTrouble' | typeof Symbol.asyncDispose | StorePart
>;

export interface AccountsWorkerData {
  readonly path: string;
}

/** An error on the wire; its class is lost. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  /** The trouble of the store as a whole, if any. */
  readonly trouble: StoreTrouble | null;
}

export type AccountsNews =
  | { readonly t: 'change'; readonly change: AccountChange }
  | { readonly t: 'written-elsewhere' }
  /** Sent before the failure of the call that met it. */
  | { readonly t: 'trouble'; readonly error: PlainError };

export interface AccountsShape extends ThreadShape {
  readonly calls: {
    open(): void;
    /** Calls a method of one of the store's parts; null: of the store itself. */
    store(part: StorePart | null, method: string, args: readonly unknown[]): unknown;
  };
  readonly orders: never;
  readonly news: AccountsNews;
  readonly refusal: PlainError;
}
