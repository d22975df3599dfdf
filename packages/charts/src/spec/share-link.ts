/** A layout as the fragment of a link. It carries no right and no key, and is read as hostile. */

import type { Layout } from './layout.ts';
import type { ParsedLayout } from './parse-layout.ts';

/** Of a fragment. */
export const SHARE_LINK_CHARS_MAX = 32_768;

/** The fragment without `#`; null if the layout is too large. */
export async function shareLink(_layout: Layout): Promise<string | null> {
  return null;
}

/** Takes the fragment with or without `#`. */
export async function readShareLink(_fragment: string): Promise<ParsedLayout> {
  return { fault: 'unreadable', text: 'This link cannot be read.' };
}
