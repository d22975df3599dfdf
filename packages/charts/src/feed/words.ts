/** What a chart says about its state: notes in the legend row, and the hem at its left edge. */

/**
 * What a reader can do about it. The page decides how: `try-now`, `use-here` and `resume` go to the shared connection,
 * `load-all` and `load-bars` to the feed, `see-plans` and `sign-in` are links, `go-last` is the view's.
 */
export type FeedActionId =
  | 'try-now'
  | 'use-here'
  | 'resume'
  | 'sign-in'
  | 'see-plans'
  | 'load-all'
  | 'load-bars'
  | 'load-again'
  | 'go-last';

export interface FeedAction {
  readonly id: FeedActionId;
  readonly text: string;
}

export type NoteKind =
  | 'lost'
  | 'reset'
  | 'other-tab'
  | 'paused'
  | 'signed-out'
  | 'plan-changed'
  | 'refused'
  | 'stale'
  | 'history-failed';

/** In the legend row, at the right. */
export interface FeedNote {
  readonly kind: NoteKind;
  readonly text: string;
  readonly actions: readonly FeedAction[];
}

/** At the left edge of the chart. */
export interface HemText {
  readonly why: 'no-history' | 'budget' | 'used-up' | 'start' | 'refused';
  readonly text: string;
  readonly actions: readonly FeedAction[];
}
