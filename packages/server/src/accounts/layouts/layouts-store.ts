/**
 * The part of the account store about layouts of the chart workspace. A layout is a text that the store never reads.
 * Every saved text is a state with a number, 1, 2, 3 …; the last ten can be restored. A save names the state that it
 * replaces, so that of two pages none overwrites the other's work unseen. A deleted layout stays for thirty days.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG } from '@tapeloom/core/units';

/** Layouts of one account that are in use. */
export const LAYOUTS_MAX = 50;
/** As many can be deleted and are still there: a person can undo a deletion of all layouts. */
export const DELETED_LAYOUTS_MAX = 50;
export const DELETED_KEPT_DAYS = 30;
export const DELETED_KEPT_NS = BigInt(DELETED_KEPT_DAYS) * DAY_NS_BIG;
/** The newest state included. */
export const STATES_KEPT = 10;
/** Of a layout's text in UTF-8. */
export const LAYOUT_BYTES_MAX = 16_000;
export const LAYOUT_NAME_CHARACTERS_MAX = 60;

/** A layout without its text. */
export interface LayoutRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: EpochNs;
  /** When its newest state was saved, or it was renamed. */
  readonly updatedAt: EpochNs;
  /** Null: it is in use. */
  readonly deletedAt: EpochNs | null;
  /** The number of its newest state. */
  readonly state: number;
  /** The size of its newest state. */
  readonly bytes: number;
}

export interface LayoutState {
  readonly state: number;
  readonly savedAt: EpochNs;
  readonly bytes: number;
}

export interface WithText {
  /** JSON. */
  readonly text: string;
}

export interface NewLayout extends WithText {
  readonly name: string;
}

/** What is left out stays as it is. */
export interface LayoutChange {
  readonly name?: string;
  readonly layout?: WithText & {
    /** The number of the state that it replaces. */
    readonly state: number;
  };
}

/** The account has no such layout in use. */
export type LayoutUnknown = { readonly refused: 'unknown-layout' };
export type TooManyLayouts = { readonly refused: 'too-many-layouts' };
/** The layout has changed meanwhile; `state` is its newest state. */
export type LayoutStale = { readonly refused: 'stale'; readonly state: number };

export interface LayoutsStore {
  /** The last changed first; those that are deleted and still kept included. */
  layoutsOf(now: EpochNs, accountId: string): Promise<readonly LayoutRecord[]>;
  createLayout(
    now: EpochNs,
    accountId: string,
    layout: NewLayout,
  ): Promise<LayoutRecord | TooManyLayouts>;
  /** Null: the account has no such layout in use. */
  findLayout(accountId: string, layoutId: string): Promise<(LayoutRecord & WithText) | null>;
  /**
   * A text that equals the newest state's changes nothing and is never stale: a client may repeat a save whose response
   * was lost.
   */
  changeLayout(
    now: EpochNs,
    accountId: string,
    layoutId: string,
    change: LayoutChange,
  ): Promise<LayoutRecord | LayoutUnknown | LayoutStale>;
  /** False: there is no such layout in use. If the account has too many deleted ones, the oldest is removed for good. */
  deleteLayout(now: EpochNs, accountId: string, layoutId: string): Promise<boolean>;
  /** Also for a layout that is in use, which stays as it is. */
  undeleteLayout(
    now: EpochNs,
    accountId: string,
    layoutId: string,
  ): Promise<LayoutRecord | LayoutUnknown | TooManyLayouts>;
  /** The newest first. Null: the account has no such layout in use. */
  layoutStates(accountId: string, layoutId: string): Promise<readonly LayoutState[] | null>;
  /** Saves an earlier state as the newest one. */
  restoreLayout(
    now: EpochNs,
    accountId: string,
    layoutId: string,
    state: number,
  ): Promise<(LayoutRecord & WithText) | LayoutUnknown | { readonly refused: 'unknown-state' }>;
  /** All that is stored of a layout, deleted or not, the oldest state first; empty: there is no such layout. */
  wholeLayout(accountId: string, layoutId: string): Promise<readonly (LayoutState & WithText)[]>;
}
