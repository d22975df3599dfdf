/** The row above a chart: the bar at the crosshair in numbers, a chip per indicator, and what the chart has to say. */

import { countText, priceText, signedText } from '@tapeloom/charts/scene/number-text';
import type { ChartBar } from '@tapeloom/charts/series/chart-bar';
import { barText } from './bar-words.ts';
import { ChartMessage } from './chart-message.tsx';
import { useDesk, useDeskSize } from './desk-context.tsx';
import { LegendChips } from './legend-chips.tsx';
import type { LegendProps } from './legend-props.ts';
import { LOOK_NAMES } from './look-words.ts';
import type { Seat } from './seat.ts';
import { useStore } from './use-store.ts';
import { nextLink } from './workspace.ts';
import { zoneTexts } from './zone-texts.ts';

export function LegendRow(props: LegendProps) {
  const { seat, spec, isCompact, isInUse } = props;
  const isPhone = useDeskSize() === 'phone';
  return (
    <div class="legend">
      <div class="legend-values">
        {isCompact && !isPhone && <Head seat={seat} spec={spec} />}
        {isPhone ? <FiveValues seat={seat} /> : <Values {...props} />}
        {!isPhone && <LegendChips {...props} />}
      </div>
      <ChartMessage seat={seat} isInUse={isInUse} />
    </div>
  );
}

/** Which chart of several this is. */
function Head({ seat, spec }: Pick<LegendProps, 'seat' | 'spec'>) {
  const desk = useDesk();
  const { link } = spec;
  const linkWords =
    link === null ? 'Not linked' : `Linked in group ${link}: crosshair and time are shared`;
  return (
    <div class="legend-head">
      <button
        type="button"
        class="link"
        aria-pressed={link !== null}
        aria-label={`${linkWords}. Change the group`}
        title={linkWords}
        onClick={() => desk.changeSpec(seat.key, (now) => ({ ...now, link: nextLink(now.link) }))}
      >
        {link ?? '·'}
      </button>
      <span class="head-symbol">{spec.instrument}</span>
      <span class="faint narrow-up">
        {barText(spec.bar)}, {LOOK_NAMES[spec.look]}
      </span>
      <span class="sep" />
    </div>
  );
}

/** Redraws with the crosshair and with each frame that changed the chart. */
function useBar(seat: Seat): ChartBar | null {
  useStore(seat.frames);
  useStore(seat.hover);
  useStore(seat.linkedNs);
  return seat.bar;
}

function Values({ seat, spec, isCompact }: LegendProps) {
  const bar = useBar(seat);
  const { instrument } = seat.content;
  if (bar === null || instrument === null) return null;
  const price = (ticks: number) => priceText(ticks, instrument.tickSizeNanos);
  const hit = isCompact ? (seat.view?.hit ?? null) : null;
  const time = zoneTexts(spec.zone, instrument.timeZone);
  const hasSeconds = spec.bar.kind !== 'time' || spec.bar.size % 60 !== 0;
  return (
    <div class="ohlc">
      <div>
        <span class="time">{time.clock(bar.fromNs, hasSeconds)}</span>
      </div>
      <Value name="O" value={price(bar.open)} />
      <Value name="H" value={price(bar.high)} />
      <Value name="L" value={price(bar.low)} />
      <Value name="C" value={price(bar.close)} />
      {!isCompact && <Value name="T" value={countText(bar.trades)} title="Trades" />}
      {hit !== null && (
        <div>
          <span>{price(hit.low)}</span>
          <b class="bid">{countText(hit.bid)}</b> × <b class="ask">{countText(hit.ask)}</b>
        </div>
      )}
    </div>
  );
}

function Value(props: { readonly name: string; readonly value: string; readonly title?: string }) {
  return (
    <div title={props.title}>
      <span>{props.name}</span>
      <b>{props.value}</b>
    </div>
  );
}

/** A phone has room for five values, with their names above them. */
function FiveValues({ seat }: { readonly seat: Seat }) {
  const bar = useBar(seat);
  const { instrument } = seat.content;
  if (bar === null || instrument === null) return null;
  const price = (ticks: number) => priceText(ticks, instrument.tickSizeNanos);
  const side = bar.delta > 0 ? 'ask' : bar.delta < 0 ? 'bid' : '';
  return (
    <div class="ohlc">
      <Value name="Open" value={price(bar.open)} />
      <Value name="High" value={price(bar.high)} />
      <Value name="Low" value={price(bar.low)} />
      <div>
        <span>Delta</span>
        <b class={side}>{signedText(bar.delta)}</b>
      </div>
      <Value name="Volume" value={countText(bar.volume)} />
    </div>
  );
}
