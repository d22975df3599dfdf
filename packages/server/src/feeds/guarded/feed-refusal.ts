/** Errors of reading a file, as data that crosses threads: faults of the file, and faults reported by the disk. */

import type { CsvQuestion } from '../csv/csv-guess.ts';
import type { CsvMapping } from '../feed-mapping.ts';
import { FeedError } from '../feed-trades.ts';
import { UnclearFeedError } from '../open-feed.ts';
import { printedText } from '../printed-text.ts';

export type RefusalError =
  | { readonly t: 'feed'; readonly message: string; readonly row: number | null }
  | {
      readonly t: 'unclear';
      readonly questions: readonly CsvQuestion[];
      readonly draft: CsvMapping | null;
    }
  | { readonly t: 'system'; readonly message: string; readonly code: string };

export function toRefusal(error: unknown): RefusalError {
  if (error instanceof UnclearFeedError) {
    return { t: 'unclear', questions: error.questions, draft: error.draft };
  }
  if (error instanceof FeedError) return { t: 'feed', message: error.message, row: error.row };
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return { t: 'system', message: error.message, code: String(error.code) };
  }
  // Readers check their input, so this file defeated one of them.
  const said = printedText(error instanceof Error ? error.message : String(error));
  return { t: 'feed', message: `The file cannot be read: ${said}.`, row: null };
}

export function fromRefusal(refusal: RefusalError): Error {
  switch (refusal.t) {
    case 'feed':
      return new FeedError(refusal.message, refusal.row);
    case 'unclear':
      return new UnclearFeedError(refusal.questions, refusal.draft);
    case 'system':
      return Object.assign(new Error(refusal.message), { code: refusal.code });
    default:
      return refusal satisfies never;
  }
}
