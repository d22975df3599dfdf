/** The workspace for all components of the page, and the parts of it that many of them watch. */

import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from './desk.ts';
import type { DeskSize } from './desk-size.ts';
import type { Seat } from './seat.ts';
import { useStore } from './use-store.ts';
import { chartInUse } from './workspace.ts';

interface DeskGiven {
  readonly desk: Desk;
  readonly size: DeskSize;
}

const DeskContext = createContext<DeskGiven | null>(null);

export const DeskProvider = DeskContext.Provider;

export function useDesk(): Desk {
  return useContext(DeskContext)!.desk;
}

export function useDeskSize(): DeskSize {
  return useContext(DeskContext)!.size;
}

/** The chart in use. */
export function useSeat(): { readonly seat: Seat; readonly spec: ChartSpec } {
  const desk = useDesk();
  const { key, spec } = useStore(desk.workspace, chartInUse);
  return { seat: desk.seat(key), spec };
}

/** Redraws with every frame in which the chart changed. */
export function useFrames(seat: Seat): void {
  useStore(seat.frames);
}
