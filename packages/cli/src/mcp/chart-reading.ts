/**
 * Reads a chart's data at a cost reserved beforehand: the objects, the candles behind them, and, if objects reach into
 * the range, the state at its start.
 */

import type { CandleData, FigureObject } from '@tapeloom/charts/figures/figure-scene';
import { ObjectSeries } from '@tapeloom/charts/series/object-series';
import type { CatalogueIndicator, HistoryPage, HistoryRequest, ListedGaps } from '@tapeloom/client';
import { parseInstant } from '@tapeloom/core/instant-text';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { ChartPlan } from './chart-plan.ts';
import type { Service } from './service.ts';
import type { Reservation } from './spending.ts';
import type { ToolContext } from './tool.ts';

/** The most objects of a chart, which is also the largest page. */
const OBJECTS_MAX = 10_000;
const MOMENT_NS = SECOND_NS_BIG;

export interface ChartRange {
  readonly instrument: string;
  readonly from: string;
  readonly to?: string;
  readonly dataset?: string;
  readonly gaps?: 'refuse' | 'allow';
  readonly signal: AbortSignal;
}

export interface ChartReading {
  readonly contract: string;
  readonly tickSizeNanos: number;
  readonly candles: readonly FigureObject<CandleData>[];
  readonly objects: readonly FigureObject<unknown>[];
  readonly computeUnits: number;
  /** Whether the range has more than the chart shows. */
  readonly isCut: boolean;
  /** The gaps of the range, if gaps were allowed. */
  readonly lacks: ListedGaps;
}

export async function readChart(
  service: Service,
  { spending, progress }: Pick<ToolContext, 'spending' | 'progress'>,
  indicator: CatalogueIndicator,
  plan: ChartPlan,
  range: ChartRange,
): Promise<ChartReading> {
  const request = { ...range, indicator: indicator.id, params: plan.params };
  const candleRequest = { ...range, indicator: 'bars', params: plan.candles ?? {} };
  const requests: HistoryRequest<string>[] = [
    request,
    ...(plan.candles === null ? [] : [candleRequest]),
    ...(plan.hasPast ? [stateAtStart(request)] : []),
  ];
  const estimates = await Promise.all(requests.map((it) => service.estimate<string>(it)));
  const cost = estimates.reduce((sum, { computeUnits }) => sum + computeUnits, 0);
  using reservation = spending.reserve(cost);
  const bill = new Bill(reservation, (units) =>
    progress(units, cost, `${units} of ${cost} compute units read.`),
  );
  const objects = new ObjectSeries();
  if (plan.hasPast) {
    for await (const page of service.history<string>(requests.at(-1)!).pages()) {
      await bill.take(page);
      addPage(objects, page);
      break;
    }
  }
  const objectsMax = plan.candles === null ? plan.candlesMax : OBJECTS_MAX;
  const read = await readPages(service, request, objectsMax, bill, objects);
  const end = read.page.to === undefined ? {} : { to: read.page.to };
  const candles = new ObjectSeries();
  const readCandles =
    plan.candles === null
      ? null
      : await readPages(service, { ...candleRequest, ...end }, plan.candlesMax, bill, candles);
  const own = objects.all;
  const behind = (readCandles === null ? own : candles.all) as readonly FigureObject<CandleData>[];
  const last = behind.at(-1);
  return {
    contract: read.page.contract,
    tickSizeNanos: read.page.tickSizeNanos,
    candles: behind,
    // Objects after the last candle read have no position on the chart.
    objects: readCandles?.isCut && last ? own.filter(({ ts }) => ts <= BigInt(last.data.end)) : own,
    computeUnits: bill.computeUnits,
    isCut: read.isCut || readCandles?.isCut === true,
    lacks: estimates[0]!,
  };
}

/** The state at the start only: a recording of a moment, limited to one message. */
function stateAtStart(request: HistoryRequest<string> & ChartRange): HistoryRequest<string> {
  const moment = { ...request, snapshot: true, limit: 1 };
  const start = parseInstant(request.from);
  // The service rejects an invalid time by its field.
  if (start === null) return moment;
  const soon = start + MOMENT_NS;
  const end = request.to === undefined ? null : parseInstant(request.to);
  return end !== null && end < soon ? moment : { ...moment, to: String(soon) };
}

async function readPages(
  service: Service,
  request: HistoryRequest<string>,
  max: number,
  bill: Bill,
  objects: ObjectSeries,
): Promise<{ readonly page: HistoryPage<string>; readonly isCut: boolean }> {
  let count = 0;
  for await (const page of service.history<string>({ ...request, limit: max }).pages()) {
    await bill.take(page);
    addPage(objects, page);
    count += page.items.length;
    if (page.next === null || count >= max) return { page, isCut: page.next !== null };
  }
  throw new TypeError('a history has no page');
}

class Bill {
  readonly #reservation: Reservation;
  readonly #onTaken: (computeUnits: number) => Promise<void>;
  computeUnits = 0;

  constructor(reservation: Reservation, onTaken: (computeUnits: number) => Promise<void>) {
    this.#reservation = reservation;
    this.#onTaken = onTaken;
  }

  async take({ computeUnits }: HistoryPage<string>): Promise<void> {
    this.#reservation.spend(computeUnits);
    this.computeUnits += computeUnits;
    await this.#onTaken(this.computeUnits);
  }
}

function addPage(objects: ObjectSeries, { items }: HistoryPage<string>): void {
  for (const entry of items) {
    if (entry.t === 'remove') objects.remove(entry.id, entry.ts);
    else if (entry.t === 'snapshot') for (const object of entry.objects) objects.put(object);
    else objects.put(entry.object);
  }
}
