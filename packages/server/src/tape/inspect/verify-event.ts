/** What a walk over a tape has to say. */

export type VerifyEvent =
  /** This file was walked, whatever was found in it. */
  | {
      readonly type: 'file';
      readonly file: string;
      readonly bytes: number;
      readonly trades: number;
    }
  /** Something is wrong. */
  | { readonly type: 'finding'; readonly file: string; readonly what: string }
  /** Something unusual that is not wrong. */
  | { readonly type: 'note'; readonly file: string; readonly what: string };

export function finding(file: string, what: string): VerifyEvent {
  return { type: 'finding', file, what };
}

export function note(file: string, what: string): VerifyEvent {
  return { type: 'note', file, what };
}
