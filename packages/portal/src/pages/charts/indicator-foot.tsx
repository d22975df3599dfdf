/** Below the form: what the indicator would take of the plan and of the month, and the buttons that decide. */

import type { LoadCost } from '@tapeloom/charts/feed/chart-feed';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Threads } from '../../components/meter.tsx';
import { exactNumber } from '../../components/number-text.ts';
import { withoutItem } from './chart-items.ts';
import { changedNeeds } from './chart-room.ts';
import { useDesk, useSeat } from './desk-context.tsx';
import { layerKeyOf } from './indicator-form.ts';
import { BARS_KEY } from './item-changes.ts';
import { isFreePreview } from './preview.ts';
import { replacement } from './replacement.ts';
import { sharePercent } from './state-words.ts';
import type { WorkingForm } from './use-indicator-form.ts';
import { useStore } from './use-store.ts';

const COST_AFTER_MS = 400;

export function IndicatorFoot({ form }: { readonly form: WorkingForm }) {
  const desk = useDesk();
  const { seat, spec } = useSeat();
  const { next, editing } = form;
  const isFree = next !== null && isFreePreview(spec, next);
  const { needs, givenUp } = changedNeeds(seat.key, spec, next);
  const verdict = desk.room.verdict(needs, givenUp);
  const apply = (alter = (now: typeof spec) => now) => {
    if (next === null) return;
    desk.endPreview();
    desk.changeSpec(seat.key, () => alter(next));
    seat.feed.loadLayers();
    desk.openDrawer(null);
    seat.view?.focus();
  };
  const swap = replacement(desk, verdict, next);
  const isRemovable = editing !== null && editing !== BARS_KEY;
  return (
    <>
      {next !== null && <Cost form={form} isFree={isFree} />}
      <p class="room" role="status">
        {verdict.hasRoom ? verdict.text : <b>{verdict.text}</b>}
      </p>
      <div class="acts">
        <Button kind="ghost" onClick={() => desk.openDrawer(null)}>
          Cancel
        </Button>
        {isRemovable && (
          <Button
            kind="ghost"
            onClick={() => {
              desk.openDrawer(null);
              desk.changeSpec(seat.key, (now) => withoutItem(now, editing));
            }}
          >
            Remove
          </Button>
        )}
        {verdict.hasRoom || swap === null ? (
          <Button kind="primary" isOff={next === null || !verdict.hasRoom} onClick={() => apply()}>
            {editing === null ? 'Add to chart' : 'Apply'}
          </Button>
        ) : (
          <Button
            kind="primary"
            onClick={() => {
              swap.giveUp();
              apply(swap.alter);
            }}
          >
            Replace {swap.name}
          </Button>
        )}
      </div>
    </>
  );
}

function Cost({ form, isFree }: { readonly form: WorkingForm; readonly isFree: boolean }) {
  const desk = useDesk();
  const { seat } = useSeat();
  const { remaining, limits } = useStore(desk.usage);
  const cost = useCost(form, isFree);
  const count = seat.content.bars.columns.length;
  if (isFree) {
    return <p class="room">Summed here from the footprint: no stream and no history of its own.</p>;
  }
  if (limits.computeBudget === 0) {
    return <p class="room">Your plan has no history: it begins with the stream’s snapshot.</p>;
  }
  if (cost === null) return null;
  const left = remaining.computeUnits;
  const share = left === 0 ? 1 : Math.min(1, cost.units / left);
  return (
    <div class="cost">
      <span>History for {exactNumber(count)} bars</span>
      <b>{exactNumber(cost.units)} units</b>
      <Threads share={share} isCounting label={`${sharePercent(share)} of what is left`} />
      <span>of {exactNumber(left)} left this month</span>
      <b>{sharePercent(share)}</b>
    </div>
  );
}

/** Asked for a moment after the last key; an estimate costs nothing. */
function useCost({ next, before, editing, definition }: WorkingForm, isFree: boolean) {
  const { seat } = useSeat();
  const [cost, setCost] = useState<LoadCost | null>(null);
  const key = next === null ? null : layerKeyOf(before, next, editing);
  const layer = next?.layers.find((it) => it.key === key) ?? null;
  const asked = isFree || layer === null ? null : JSON.stringify(layer.params);
  useEffect(() => {
    setCost(null);
    if (asked === null || layer === null) return undefined;
    let isGone = false;
    const timer = setTimeout(() => {
      seat.feed.costOf(layer.indicator, layer.params).then(
        (known) => !isGone && setCost(known),
        () => {},
      );
    }, COST_AFTER_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [asked, definition?.id, seat]);
  return cost;
}
