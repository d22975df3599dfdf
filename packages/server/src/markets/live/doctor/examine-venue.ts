/**
 * Checks what is assumed of a venue against the venue itself, in about two minutes: addresses, contracts, the stream,
 * past trades, clocks and limits. Network and time are given. A check that cannot be made is reported as skipped.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../../platform/clock.ts';
import { sleep } from '../../../platform/waiting/sleep.ts';
import { writableContract } from '../../instruments/venue-products.ts';
import { askContracts } from '../ask-venue.ts';
import type { FeedContract, Venue } from '../feed.ts';
import type { Network } from '../network.ts';
import { reasonOf } from '../reason-of.ts';
import type { VenueContract, VenueKind, VenueSettings } from '../venue-kind.ts';
import { type AddressProbe, checkAddresses } from './address-probe.ts';
import { type AskedPage, askPage, judgePage } from './check-pages.ts';
import { type DoctorFinding, found } from './finding.ts';
import { judgeLimits } from './judge-limits.ts';
import { judgeStream } from './judge-stream.ts';
import { judgeTime } from './judge-time.ts';
import { Observer } from './observation.ts';
import { RecordingNetwork } from './recording-network.ts';

const SECOND_MS = 1_000;
/** The stream may lag behind the requests of past trades. */
const LISTEN_LONGER_MS = 3 * SECOND_MS;
const REST_OF_CHECKS = ['subscription', 'past trades', 'clock', 'limits in headers'];

export interface ExaminationOptions {
  readonly kind: VenueKind;
  readonly settings: VenueSettings;
  readonly symbols: readonly string[];
  readonly network: Network;
  readonly probe: AddressProbe;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly listenMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (what: string) => void;
}

export interface Examination {
  readonly from: EpochNs;
  readonly seconds: number;
  readonly findings: readonly DoctorFinding[];
}

export async function examineVenue(options: ExaminationOptions): Promise<Examination> {
  const { settings, clock, probe, onProgress } = options;
  const from = clock.now();
  const recording = new RecordingNetwork(options.network, () => clock.now());
  onProgress('looking up addresses');
  const findings = [...(await checkAddresses(settings.addresses, probe, Number(from / MS_NS_BIG)))];
  onProgress('reading contracts');
  const contracts = await readContracts(options, recording, findings);
  if (contracts === null) {
    const why = 'without contracts nothing else can be checked';
    findings.push(...REST_OF_CHECKS.map((name) => found(name, 'skipped', why)));
  } else {
    try {
      findings.push(...(await examineStream(options, contracts, recording)));
    } catch (error) {
      findings.push(found('stream', 'failed', reasonOf(error)));
    }
  }
  return { from, seconds: Number((clock.now() - from) / MS_NS_BIG) / SECOND_MS, findings };
}

/** Null: they cannot be read. */
async function readContracts(
  { kind, settings, signal, symbols }: ExaminationOptions,
  network: Network,
  findings: DoctorFinding[],
): Promise<readonly FeedContract[] | null> {
  const check = 'contracts';
  try {
    const described = await askContracts({ kind, settings, network, signal }, symbols);
    const contracts = described.map((contract) => feedContract(kind, contract));
    findings.push(found(check, 'ok', described.map(contractText).join('; ')));
    return contracts;
  } catch (error) {
    findings.push(found(check, 'failed', reasonOf(error)));
    return null;
  }
}

async function examineStream(
  options: ExaminationOptions,
  contracts: readonly FeedContract[],
  recording: RecordingNetwork,
): Promise<readonly DoctorFinding[]> {
  const { kind, settings, clock, listenMs, signal, onProgress } = options;
  const venue: Venue = kind.open(settings);
  const forMs = listenMs + LISTEN_LONGER_MS;
  const observer = new Observer({
    ...{ venue, contracts, clock, forMs, signal, network: recording },
    onStep: (passedMs, trades) => onProgress(progressText(forMs - passedMs, trades)),
  });
  const ended = new AbortController();
  const observing = observer.run().finally(() => ended.abort());
  // Its failure is reported below.
  observing.catch(() => undefined);
  await sleep(clock, listenMs, AbortSignal.any([signal, ended.signal]));
  const before = recording.answered.length;
  const pages: AskedPage[] = [];
  for (const contract of contracts) {
    pages.push(await askPage(venue, contract, observer.seen, recording, signal));
  }
  await observing;
  const { answered } = recording;
  const { seen } = observer;
  return [
    ...judgeStream(seen, venue, kind),
    ...pages.map((page) => judgePage(page, seen)),
    ...judgeTime(seen, answered, kind.graceMs),
    ...judgeLimits(venue, answered, answered.slice(before)),
  ];
}

function progressText(leftMs: number, trades: number): string {
  return `listening: ${Math.max(0, Math.ceil(leftMs / SECOND_MS))} s left, ${trades} trades`;
}

function feedContract(kind: VenueKind, described: VenueContract): FeedContract {
  const { symbol, tickSizeNanos, terms, venueSymbol } = writableContract(kind, described, null);
  return {
    symbol,
    venueSymbol,
    tickSizeNanos,
    lotSizeNanos: terms.lotSizeNanos,
    // Outside of its hours a market is silent, which the page of past trades tells from a fault.
    hours: null,
  };
}

function contractText(contract: VenueContract): string {
  const { venueSymbol, kind, tick, lot, pointValue, currency, isInverse, expiresAt } = contract;
  const expiry =
    expiresAt === null ? '' : `, expires ${Temporal.Instant.fromEpochNanoseconds(expiresAt)}`;
  const inverse = isInverse ? ', inverse' : '';
  return `${venueSymbol} (${kind}): tick ${tick}, lot ${lot}, point ${pointValue} ${currency}${inverse}${expiry}`;
}
