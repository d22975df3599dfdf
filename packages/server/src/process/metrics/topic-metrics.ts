/** What `/metrics` shows of the streams that are computed, and of what can be resumed of them. */

import { counter, gauge, type Reading } from '../../platform/metrics.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';

export function topicReadings(hub: TopicHub): readonly Reading[] {
  return [
    gauge('tapeloom_topics', 'Topics that are computed.', () => hub.metrics.topics),
    gauge('tapeloom_topics_idle', 'Topics nobody listens to.', () => hub.metrics.idleTopics),
    gauge('tapeloom_topics_idle_largest', 'Those of the account that has most.', () => {
      return hub.metrics.idleTopicsOfLargest;
    }),
    gauge('tapeloom_topics_warming', 'Topics that are not ready yet.', () => {
      return hub.metrics.warmingTopics;
    }),
    gauge(
      'tapeloom_warm_ups_waiting',
      "Of those, the ones that wait for their account's turn.",
      () => {
        return hub.metrics.warmUpsWaiting;
      },
    ),
    {
      name: 'tapeloom_topics_ended_total',
      help: 'Topics ended after their last listener: their time had passed, their account had too many, their place or memory was needed, or they never were ready.',
      kind: 'counter',
      label: 'reason',
      read: () => hub.metrics.topicsEndedTotal,
    },
    {
      name: 'tapeloom_opens_refused_total',
      help: 'Topics not begun: their account begins too many, or there was no place.',
      kind: 'counter',
      label: 'reason',
      read: () => hub.metrics.opensRefusedTotal,
    },
    gauge('tapeloom_topic_subscribers', 'On all topics.', () => hub.metrics.subscribers),
    counter('tapeloom_topics_opened_total', 'Started in an engine.', () => {
      return hub.metrics.topicsOpenedTotal;
    }),
    counter('tapeloom_flushes_total', 'Published by all topics.', () => hub.metrics.flushesTotal),
    gauge('tapeloom_ring_bytes', 'Memory of what can be resumed.', () => hub.metrics.ringBytes),
    gauge('tapeloom_ring_bytes_largest', 'What of it counts for the account that has most.', () => {
      return hub.metrics.ringBytesOfLargest;
    }),
    {
      name: 'tapeloom_ring_evictions_total',
      help: 'Messages that can no longer be resumed, by what they exceeded.',
      kind: 'counter',
      label: 'reason',
      read: () => hub.metrics.ringEvictionsTotal,
    },
    {
      name: 'tapeloom_snapshots_total',
      help: 'Snapshots subscribers wanted: asked of an engine, or shared with another subscriber.',
      kind: 'counter',
      label: 'way',
      read: () => hub.metrics.snapshotsTotal,
    },
    {
      name: 'tapeloom_resumes_total',
      help: 'Subscribers that came back with a cursor: served from a ring, or refused by its floor.',
      kind: 'counter',
      label: 'outcome',
      read: () => hub.metrics.resumesTotal,
    },
  ];
}
