/** The configured support contact: an e-mail address or a page. */

import { normalEmail } from '@tapeloom/core/person/email-address';

export const SUPPORT_ACCEPTS =
  'an e-mail address such as support@example.com, or an https address such as https://example.com/help';

export interface SupportAddress {
  /** As shown to people. */
  readonly text: string;
  readonly href: string;
}

/** Null: the text is neither. */
export function supportAddress(text: string): SupportAddress | null {
  const email = normalEmail(text);
  if (email !== null) return { text: email.email, href: `mailto:${encodeURI(email.email)}` };
  const url = /^https:\/\/[\x21-\x7e]+$/.test(text) && URL.canParse(text) ? new URL(text) : null;
  return url === null || url.username !== '' ? null : { text, href: url.href };
}
