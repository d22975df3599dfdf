/** What another chart would take of the plan. */

import { needsOf } from '@tapeloom/charts/feed/chart-needs';
import type { Desk } from './desk.ts';
import { chartInUse, nextNumber } from './workspace.ts';

export interface NewChartRoom {
  readonly hasRoom: boolean;
  /** `With it, 3 of 50 subscriptions, …`, or why there is no room. */
  readonly text: string;
}

export function roomOfNewChart(desk: Desk): NewChartRoom {
  const { value } = desk.workspace;
  const needs = needsOf(`c${nextNumber(value)}`, chartInUse(value).spec);
  const { hasRoom, text } = desk.room.verdict(needs);
  return { hasRoom, text: hasRoom ? `With it: ${text}.` : text };
}
