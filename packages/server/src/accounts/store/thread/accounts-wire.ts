/**
 * What the main thread and the accounts' thread say to each other. Answers may come in another order than
 * their calls; a change is said before the answer to the call that made it.
 */

import type { ThreadShape } from '../../../platform/threads/thread.ts';
import type { AccountChange, AccountStore, StoreTrouble } from '../account-store.ts';

export type StorePart = 'people' | 'orders' | 'withdrawals' | 'mails' | 'status' | 'passkeys';

export type StoreMethod = Exclude<
  keyof AccountStore,
  'onChange' | 'onWrittenElsewhere' | 'onTrouble' | typeof Symbol.asyncDispose | StorePart
>;

export interface AccountsWorkerData {
  readonly path: string;
}

/** An error as it crosses: its class stays behind. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  /** What it says about the store as a whole. */
  readonly trouble: StoreTrouble | null;
}

export type AccountsNews =
  | { readonly t: 'change'; readonly change: AccountChange }
  | { readonly t: 'written-elsewhere' }
  /** Told before the failure of the call that met it. */
  | { readonly t: 'trouble'; readonly error: PlainError };

export interface AccountsShape extends ThreadShape {
  readonly calls: {
    open(): void;
    /** A method of one of the store's parts; null: of the store itself. */
    store(part: StorePart | null, method: string, args: readonly unknown[]): unknown;
  };
  readonly orders: never;
  readonly news: AccountsNews;
  readonly refusal: PlainError;
}
