/**
 * The part of the account store about people: who owns an account, how they sign in, and in which browsers they
 * are. As in the store itself, every method is one transaction, and callers say what time it is.
 */

import type { EpochNs } from '@tapeloom/core/numbers';

export interface OwnerRecord {
  readonly accountId: string;
  /** As its owner wrote it. */
  readonly email: string;
  readonly since: EpochNs;
}

export interface PeopleStore {
  /** Null: nobody owns the account yet. */
  ownerOf(accountId: string): Promise<OwnerRecord | null>;
}
