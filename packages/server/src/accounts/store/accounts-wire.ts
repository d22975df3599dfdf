/**
 * What the main thread and the accounts' thread say to each other. Answers may come in another order than
 * their calls; a change is said before the answer to the call that made it.
 */

import type { AccountChange, AccountStore, StoreTrouble } from './account-store.ts';

export type StorePart = 'people' | 'orders' | 'withdrawals';

export type StoreMethod = Exclude<
  keyof AccountStore,
  'onChange' | 'onTrouble' | typeof Symbol.asyncDispose | StorePart
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

export type ToAccounts =
  | {
      readonly t: 'call';
      readonly id: number;
      /** Null: the store itself. */
      readonly part: StorePart | null;
      readonly method: string;
      readonly args: readonly unknown[];
    }
  /** Answer what is under way, close the database and end. */
  | { readonly t: 'close' };

export type FromAccounts =
  | { readonly t: 'opened' }
  | { readonly t: 'refused'; readonly error: PlainError }
  | { readonly t: 'result'; readonly id: number; readonly value: unknown }
  | { readonly t: 'failed'; readonly id: number; readonly error: PlainError }
  | { readonly t: 'change'; readonly change: AccountChange }
  /** Told before the failure of the call that met it. */
  | { readonly t: 'trouble'; readonly error: PlainError };
