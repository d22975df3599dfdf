/**
 * The content of a mail before it is rendered as plain text and HTML. Values are plain text here and are escaped when
 * rendered, so a template can put a value into any sentence; a person's input goes through `typed`.
 */

import { shownText } from '@tapeloom/core/person/plain-text';

/** Longer than any real name. */
const TYPED_CHARACTERS_MAX = 254;
const ISOLATED = { first: '\u2068', last: '\u2069' } as const;

export interface MailContent {
  readonly subject: string;
  readonly heading: string;
  readonly lead: readonly string[];
  readonly facts?: readonly (readonly [name: string, value: string])[];
  /** The one action. */
  readonly action?: { readonly label: string; readonly link: string };
  /** A text that is kept exactly as agreed. */
  readonly document?: { readonly title: string; readonly text: string };
  /** Smaller paragraphs below: the expiry, and what to do if the reader did not request it. */
  readonly closing: readonly string[];
}

/** A person's input within a sentence: one line, no hidden characters, no effect on the surrounding text direction. */
export function typed(value: string): string {
  const characters = [...shownText(value)];
  const isLong = characters.length > TYPED_CHARACTERS_MAX;
  const shown = isLong ? [...characters.slice(0, TYPED_CHARACTERS_MAX), '…'] : characters;
  return `${ISOLATED.first}${shown.join('')}${ISOLATED.last}`;
}
