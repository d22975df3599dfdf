/**
 * What a mail says, before it is plain text or HTML. Every value goes through here as text and is escaped where it
 * is rendered, so a template can put a value into any sentence; what a person typed goes in by `typed`.
 */

import { shownText } from '@tapeloom/core/person/plain-text';

/** No name of ours is longer; a longer one is no name. */
const TYPED_CHARACTERS_MAX = 254;
const ISOLATED = { first: '\u2068', last: '\u2069' } as const;

export interface MailContent {
  readonly subject: string;
  readonly heading: string;
  /** Paragraphs above the button. */
  readonly lead: readonly string[];
  readonly facts?: readonly (readonly [name: string, value: string])[];
  /** The one thing to do. */
  readonly action?: { readonly label: string; readonly link: string };
  /** A text to be kept as it was agreed to. */
  readonly document?: { readonly title: string; readonly text: string };
  /** Paragraphs below, in smaller type: when it ends, and what to do if it was not asked for. */
  readonly closing: readonly string[];
}

/** What a person typed, in a sentence: one line, nothing hidden, and it turns nothing around it. */
export function typed(value: string): string {
  const characters = [...shownText(value)];
  const isLong = characters.length > TYPED_CHARACTERS_MAX;
  const shown = isLong ? [...characters.slice(0, TYPED_CHARACTERS_MAX), '…'] : characters;
  return `${ISOLATED.first}${shown.join('')}${ISOLATED.last}`;
}
