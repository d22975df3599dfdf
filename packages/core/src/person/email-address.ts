/**
 * E-mail addresses as people type them. An accepted one works with any mail server and is safe to display: one plain
 * address without quotes, comments, line breaks or invisible characters. A word that mixes scripts is rejected, since
 * it may imitate another address. `key` decides whether two are the same: domains compare as in DNS, mailboxes ignore
 * case. Nothing else is folded, so two mailboxes never share a key.
 */

import { typedTextFault } from './plain-text.ts';

export const EMAIL_BYTES_MAX = 254;
const LOCAL_BYTES_MAX = 64;

/** The words between dots that need no quotes. */
const LOCAL =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
/** At least two labels, the last one no number: neither a machine's short name nor an IP address. */
const ASCII_DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
/** Scripts with letters that look like those of another. */
const LOOK_ALIKE_SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
];

export interface EmailAddress {
  /** For display and sending: as typed, but without spaces around it and with the domain normalized. */
  readonly email: string;
  /** Equal for two spellings of one address. */
  readonly key: string;
}

/** Null: not an address that mail can be sent to. */
export function normalEmail(text: string): EmailAddress | null {
  const typed = text.replace(/^ +| +$/g, '');
  const at = typed.lastIndexOf('@');
  if (at < 1 || typed.length > EMAIL_BYTES_MAX || typedTextFault(typed) !== null) return null;
  const local = normalLocal(typed.slice(0, at));
  const domain = typed
    .slice(at + 1)
    .normalize('NFKC')
    .toLowerCase();
  const ascii = asciiDomain(domain);
  if (local === null || ascii === null) return null;
  if (`${local}.${domain}`.split('.').some(mixesScripts)) return null;
  const email = `${local}@${domain}`;
  const key = `${local.toLowerCase()}@${ascii}`;
  return byteLength(email) > EMAIL_BYTES_MAX || byteLength(key) > EMAIL_BYTES_MAX
    ? null
    : { email, key };
}

/** Compatibility forms of letters (ﬁ, ｆ) are rejected: two spellings could name the same mailbox. */
function normalLocal(text: string): string | null {
  const local = text.normalize('NFC');
  if (local !== local.normalize('NFKC') || !LOCAL.test(local)) return null;
  return byteLength(local) > LOCAL_BYTES_MAX ? null : local;
}

function asciiDomain(domain: string): string | null {
  if (!DOMAIN.test(domain) || !URL.canParse(`http://${domain}`)) return null;
  const ascii = new URL(`http://${domain}`).hostname;
  return ASCII_DOMAIN.test(ascii) ? ascii : null;
}

function mixesScripts(word: string): boolean {
  return LOOK_ALIKE_SCRIPTS.filter((script) => script.test(word)).length > 1;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
