/** What is open around the charts: the drawer, the tool, the dialogs. Nothing of it is saved. */

import type { Tool } from '@tapeloom/charts/view/view-options';

export type DrawerState =
  /** The list; `open` is the indicator whose form is unfolded, `editing` the item that it changes. */
  | {
      readonly t: 'indicators';
      readonly open: string | null;
      readonly editing: string | null;
      readonly isSearching: boolean;
    }
  /** Objects of an indicator that this page cannot draw. */
  | { readonly t: 'objects'; readonly item: string }
  | { readonly t: 'table' }
  | { readonly t: 'wire' };

export interface DeskUi {
  readonly drawer: DrawerState | null;
  readonly dialog: 'keys' | 'share' | null;
  readonly tool: Tool;
  readonly isSnapping: boolean;
  readonly areDrawingsHidden: boolean;
  /** Until the first gesture of a first visit. */
  readonly hasHint: boolean;
}

export const FIRST_UI: DeskUi = {
  drawer: null,
  dialog: null,
  tool: 'crosshair',
  isSnapping: true,
  areDrawingsHidden: false,
  hasHint: false,
};

export const INDICATORS_DRAWER = {
  t: 'indicators',
  open: null,
  editing: null,
  isSearching: true,
} as const satisfies DrawerState;
