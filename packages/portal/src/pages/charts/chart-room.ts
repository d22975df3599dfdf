/** What a change of a chart, or another chart, would take of the plan. */

import { needsOf } from '@tapeloom/charts/feed/chart-needs';
import type { TopicNeed } from '@tapeloom/charts/feed/plan-room';
import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
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

/** What is new, and the keys of what the chart gives up for it. Places that stay as they are count as taken. */
export function changedNeeds(
  chart: string,
  before: ChartSpec,
  next: ChartSpec | null,
): { readonly needs: readonly TopicNeed[]; readonly givenUp: readonly string[] } {
  if (next === null) return { needs: [], givenUp: [] };
  const [had, wanted] = [needsOf(chart, before), needsOf(chart, next)];
  const known = new Set(had.map(needText));
  const kept = new Set(wanted.map(({ key }) => key));
  return {
    needs: wanted.filter((need) => !known.has(needText(need))),
    givenUp: had.map(({ key }) => key).filter((key) => !kept.has(key)),
  };
}

function needText({ key, instrument, indicator, params }: TopicNeed): string {
  return JSON.stringify([key, instrument, indicator, Object.entries(params).sort()]);
}
