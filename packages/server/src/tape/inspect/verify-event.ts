/** The findings of a walk over a tape. */

export type VerifyEvent =
  /** This file was walked, with or without findings. */
  | {
      readonly type: 'file';
      readonly file: string;
      readonly bytes: number;
      readonly trades: number;
    }
  | { readonly type: 'finding'; readonly file: string; readonly what: string }
  /** Something unusual that is not wrong. */
  | { readonly type: 'note'; readonly file: string; readonly what: string };

export function finding(file: string, what: string): VerifyEvent {
  return { type: 'finding', file, what };
}

export function note(file: string, what: string): VerifyEvent {
  return { type: 'note', file, what };
}
