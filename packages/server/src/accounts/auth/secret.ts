/**
 * The texts of keys, stream tokens, links and sessions. 160 random bits make guessing hopeless. A checksum lets a
 * mistyped or invented text be rejected without a look-up. Only digests are stored, so a stolen database opens nothing.
 */

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '@tapeloom/core/entitlement/key-rights';
import {
  KEY_TEXT,
  LINK_TEXT,
  SECRET_CHECKSUM_CHARACTERS,
  SECRET_RANDOM_CHARACTERS,
  SESSION_TEXT,
  TOKEN_TEXT,
} from '@tapeloom/protocol/key-text';
import type { SecretDigest } from '../keys/keys-store.ts';

const RANDOM_BYTES = 20;
const HINT_CHARACTERS = 4;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns this many unpredictable bytes: `randomBytes` of node:crypto, or a test's own. */
export type RandomBytes = (size: number) => Uint8Array;

export function newKeyText(environment: Environment, random: RandomBytes): string {
  return withChecksum(`svc_${environment}_${randomText(random)}`);
}

export function newTokenText(random: RandomBytes): string {
  return withChecksum(`svc_token_${randomText(random)}`);
}

export function newLinkText(random: RandomBytes): string {
  return withChecksum(`svc_link_${randomText(random)}`);
}

export function newSessionText(random: RandomBytes): string {
  return withChecksum(`svc_session_${randomText(random)}`);
}

/** Whether the text has the form of a key or token and the right checksum. */
export function isSoundText(text: string): boolean {
  return (KEY_TEXT.test(text) || TOKEN_TEXT.test(text)) && hasChecksum(text);
}

export function isSoundLink(text: string): boolean {
  return LINK_TEXT.test(text) && hasChecksum(text);
}

export function isSoundSession(text: string): boolean {
  return SESSION_TEXT.test(text) && hasChecksum(text);
}

function hasChecksum(text: string): boolean {
  return withChecksum(text.slice(0, -SECRET_CHECKSUM_CHARACTERS)) === text;
}

/** The part of a secret that is stored. */
export function digestOf(text: string): SecretDigest {
  return {
    hash: hash('sha256', text),
    hint: text.slice(-HINT_CHARACTERS),
  };
}

function randomText(random: RandomBytes): string {
  const bytes = random(RANDOM_BYTES);
  if (bytes.length !== RANDOM_BYTES) throw new RangeError(`needs ${RANDOM_BYTES} random bytes`);
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let digits = '';
  for (let count = 0; count < SECRET_RANDOM_CHARACTERS; count += 1) {
    digits = DIGITS[Number(rest % 62n)]! + digits;
    rest /= 62n;
  }
  return digits;
}

function withChecksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  // This runs for every request, so it uses plain numbers.
  for (let count = 0; count < SECRET_CHECKSUM_CHARACTERS; count += 1) {
    digits = DIGITS[rest % 62]! + digits;
    rest = Math.trunc(rest / 62);
  }
  return text + digits;
}
