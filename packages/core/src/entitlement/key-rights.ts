/** The rights of an API key itself; the plan adds the rest. */

import type { EpochNs } from '../numbers.ts';
import { typedTextFault } from '../person/plain-text.ts';

export const SCOPES = ['stream', 'history', 'export', 'keys'] as const;
export type Scope = (typeof SCOPES)[number];

export const ENVIRONMENTS = ['live', 'test'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const KEY_STATES = ['active', 'expiring', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** The most instruments, and the most address ranges, that a key may list. */
export const RESTRICTION_ENTRIES_MAX = 32;
export const KEY_NAME_CHARACTERS_MAX = 64;

/** The Braille blank is invisible, but Unicode does not class it as a space. */
const BLANK = /^[\p{Z}\u2800]*$/u;

export interface KeyRights {
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  /** Symbols and aliases; null: all instruments. */
  readonly instruments: readonly string[] | null;
  /** Addresses and ranges as the customer wrote them; null: any address. */
  readonly allowedIps: readonly string[] | null;
  /** The first instant at which the key no longer works; null: never. */
  readonly expiresAt: EpochNs | null;
}

/** What is wrong with the name of a new key; null if nothing. Existing keys keep their names. */
export function keyNameFault(name: string): string | null {
  const characters = [...name].length;
  if (characters < 1 || characters > KEY_NAME_CHARACTERS_MAX) {
    return `must have 1 to ${KEY_NAME_CHARACTERS_MAX} characters`;
  }
  return typedTextFault(name) ?? (BLANK.test(name) ? 'must not be blank' : null);
}

/** The state of a key that was revoked at `revokedAt` (null: never) and expires at `expiresAt`. */
export function keyStateAt(
  key: { readonly expiresAt: EpochNs | null; readonly revokedAt: EpochNs | null },
  now: EpochNs,
): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt === null) return 'active';
  return now < key.expiresAt ? 'expiring' : 'expired';
}
