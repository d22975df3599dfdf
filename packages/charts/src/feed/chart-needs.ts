/** What a chart takes of a plan, before it is opened. */

import type { ChartSpec } from '../spec/chart-spec.ts';
import type { TopicNeed } from './plan-room.ts';
import { chartTopics, type Topic, topicName } from './topics.ts';

/** `isSummed`: the page knows the sessions of the instrument, so that it sums what the footprint holds. */
export function needsOf(chart: string, spec: ChartSpec, isSummed = true): readonly TopicNeed[] {
  return chartTopics(spec, isSummed).map((topic) => needOf(chart, spec.instrument, topic));
}

export function needOf(chart: string, instrument: string, topic: Topic): TopicNeed {
  const { key, indicator, params } = topic;
  return { key: `${chart}/${key}`, instrument, indicator, params, name: topicName(topic) };
}
