/** The metrics of live feeds, by dataset. Simulated and replayed markets are no feeds. */

import type { FeedReport } from '../../markets/market.ts';
import type { Reading } from '../../platform/metrics.ts';
import type { IngestReport } from '../ingest/ingest-wire.ts';

const STATES = { live: 0, stale: 1, down: 2 } as const satisfies Record<
  FeedReport['state'],
  number
>;

type ReportedFeed = IngestReport & { readonly feed: FeedReport };

export function feedReadings(reports: ReadonlyMap<string, IngestReport>): readonly Reading[] {
  const of = (
    kind: Reading['kind'],
    name: Reading['name'],
    help: string,
    value: (report: ReportedFeed) => number | null,
  ): Reading => ({
    ...{ name, help, kind, label: 'dataset' },
    read: () => {
      const found: Record<string, number> = {};
      for (const [dataset, report] of reports) {
        const read = isFeed(report) ? value(report) : null;
        if (read !== null) found[dataset] = read;
      }
      return found;
    },
  });
  return [
    of('gauge', 'tapeloom_feed_state', '0: live, 1: stale, 2: down.', ({ feed }) => {
      return STATES[feed.state];
    }),
    of('gauge', 'tapeloom_feed_lag_seconds', 'The watermark behind the clock.', ({ lagMs }) => {
      return lagMs / 1000;
    }),
    of('counter', 'tapeloom_feed_reconnects_total', 'Connections that ended.', ({ feed }) => {
      return feed.reconnects;
    }),
    of('gauge', 'tapeloom_feed_gaps_open', 'Gaps that grow, one for each contract.', ({ feed }) => {
      return feed.gapsOpen;
    }),
    of(
      'counter',
      'tapeloom_feed_gaps_total',
      'Gaps that have ended since the start.',
      ({ feed }) => {
        return feed.gapsClosed;
      },
    ),
    of(
      'gauge',
      'tapeloom_feed_requests_left_ratio',
      'The share of the request budget of the venue that is left.',
      ({ feed }) => feed.requestsLeft,
    ),
    of(
      'gauge',
      'tapeloom_feed_contracts_down',
      'Contracts whose trades are not taken.',
      ({ feed }) => feed.venue?.contractsDown ?? null,
    ),
    of(
      'counter',
      'tapeloom_feed_left_out_total',
      'Prints that are no order flow, of all kinds.',
      ({ feed }) => (feed.venue === undefined ? null : sumOf(Object.values(feed.venue.leftOut))),
    ),
    of('counter', 'tapeloom_feed_trades_late_total', 'Taken behind the watermark.', (report) => {
      return report.counters.late;
    }),
    of('counter', 'tapeloom_feed_trades_rejected_total', 'Not taken, as invalid.', (report) => {
      const { badId, zeroSize, badSize, offTickPrice, badPrice, badTime } = report.counters;
      const { aheadOfTime, unknownSymbol } = report.counters;
      const invalid = [badId, zeroSize, badSize, offTickPrice, badPrice, badTime];
      return sumOf([...invalid, aheadOfTime, unknownSymbol]);
    }),
  ];
}

function isFeed(report: IngestReport): report is ReportedFeed {
  return report.feed !== undefined;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
