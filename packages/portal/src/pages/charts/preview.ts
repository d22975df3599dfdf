/** Which changes a form may show before they are made: those that need nothing but the bars that are loaded. */

import { chartTopics } from '@tapeloom/charts/feed/topics';
import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';

export function isFreePreview(before: ChartSpec, next: ChartSpec): boolean {
  if (before.instrument !== next.instrument) return false;
  const open = new Set(chartTopics(before, true).map(topicText));
  return chartTopics(next, true).every((topic) => open.has(topicText(topic)));
}

function topicText({ indicator, params }: { indicator: string; params: object }): string {
  const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([indicator, sorted]);
}
