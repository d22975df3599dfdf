/** Metrics of topics: those computed, and what can be resumed. */

import { counter, gauge, type Reading } from '../../platform/metrics.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';

export function topicReadings(hub: TopicHub): readonly Reading[] {
  return [
    gauge('tapeloom_topics', 'Topics being computed.', () => hub.metrics.topics),
    gauge(
      'tapeloom_topics_idle',
      'Idle topics, without subscribers.',
      () => hub.metrics.idleTopics,
    ),
    gauge('tapeloom_topics_idle_largest', 'Idle topics of the account with the most.', () => {
      return hub.metrics.idleTopicsOfLargest;
    }),
    gauge('tapeloom_topics_warming', 'Topics that are not ready yet.', () => {
      return hub.metrics.warmingTopics;
    }),
    gauge(
      'tapeloom_warm_ups_waiting',
      'Topics that are not ready yet and wait in the queue.',
      () => {
        return hub.metrics.warmUpsWaiting;
      },
    ),
    {
      name: 'tapeloom_topics_ended_total',
      help: 'Topics ended after their last subscriber left: their time was over, their account had too many, their slot or memory was needed, or they never became ready.',
      kind: 'counter',
      label: 'reason',
      read: () => hub.metrics.topicsEndedTotal,
    },
    {
      name: 'tapeloom_opens_refused_total',
      help: 'Topics not started: the account starts too many, or all slots are taken.',
      kind: 'counter',
      label: 'reason',
      read: () => hub.metrics.opensRefusedTotal,
    },
    gauge(
      'tapeloom_topic_subscribers',
      'Subscribers of all topics.',
      () => hub.metrics.subscribers,
    ),
    counter('tapeloom_topics_opened_total', 'Topics started in an engine.', () => {
      return hub.metrics.topicsOpenedTotal;
    }),
    counter(
      'tapeloom_flushes_total',
      'Messages published by all topics.',
      () => hub.metrics.flushesTotal,
    ),
    gauge(
      'tapeloom_ring_bytes',
      'Memory of the messages that can be resumed.',
      () => hub.metrics.ringBytes,
    ),
    gauge('tapeloom_ring_bytes_largest', 'Memory of the account with the most.', () => {
      return hub.metrics.ringBytesOfLargest;
    }),
    {
      name: 'tapeloom_ring_evictions_total',
      help: 'Messages that can no longer be resumed, by the limit they exceeded.',
      kind: 'counter',
      label: 'reason',
      read: () => hub.metrics.ringEvictionsTotal,
    },
    {
      name: 'tapeloom_snapshots_total',
      help: 'Snapshots for subscribers: requested from an engine, or shared with another subscriber.',
      kind: 'counter',
      label: 'way',
      read: () => hub.metrics.snapshotsTotal,
    },
    {
      name: 'tapeloom_resumes_total',
      help: 'Subscribers that resumed with a cursor: served from a ring, or refused because it was too old.',
      kind: 'counter',
      label: 'outcome',
      read: () => hub.metrics.resumesTotal,
    },
  ];
}
