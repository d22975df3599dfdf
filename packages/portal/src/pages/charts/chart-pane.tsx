/** One chart in the grid: its legend row, messages, and the place of its view. */

import type { FeedActionId } from '@tapeloom/charts/feed/words';
import type { ViewCommand } from '@tapeloom/charts/view/view-options';
import { useEffect, useRef } from 'preact/hooks';
import { showToast } from '../../components/toast.tsx';
import { barSentence } from './bar-words.ts';
import { runCommand } from './commands.ts';
import type { Desk } from './desk.ts';
import { useDesk, useDeskSize } from './desk-context.tsx';
import { LegendRow } from './legend-row.tsx';
import type { Seat } from './seat.ts';
import { useStore } from './use-store.ts';
import type { OpenChart } from './workspace.ts';

export function ChartPane(props: {
  readonly chart: OpenChart;
  readonly number: number;
  readonly isAlone: boolean;
}) {
  const { chart, isAlone } = props;
  const { key, spec } = chart;
  const desk = useDesk();
  const seat = desk.seat(key);
  const isInUse = useStore(desk.workspace, ({ inUse }) => inUse === key);
  const isPhone = useDeskSize() === 'phone';
  const place = useChartView(seat, isAlone);
  const hasHint = useStore(desk.ui, ({ hasHint: has }) => has) && isInUse;
  const name = `Chart ${props.number}: ${spec.instrument}, ${barSentence(spec.bar)}`;
  return (
    <section class={isInUse && !isAlone ? 'chart in-use' : 'chart'} aria-label={name}>
      <LegendRow seat={seat} spec={spec} isCompact={!isAlone} isInUse={isInUse} />
      <div class="chart-place">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the chart in it takes the keys. */}
        <div class="chart-root" ref={place} onKeyDown={(event) => tabbed(desk, event)} />
        {hasHint && (
          <p class="hint">
            {isPhone ? 'Drag to move, pinch to zoom.' : 'Scroll to zoom, drag to move, '}
            {!isPhone && <kbd>?</kbd>}
            {!isPhone && ' for keys.'}
          </p>
        )}
      </div>
    </section>
  );
}

/** Tab leads from chart to chart; the rows above them are reached backwards, or from the bar at the top. */
function tabbed(desk: Desk, event: KeyboardEvent): void {
  const { key, shiftKey, altKey, ctrlKey, metaKey, target, currentTarget } = event;
  if (key !== 'Tab' || shiftKey || altKey || ctrlKey || metaKey) return;
  const root = currentTarget as HTMLElement;
  const hasButtons = [...root.querySelectorAll('button')].some((it) => it.offsetParent !== null);
  const { charts, inUse } = desk.workspace.value;
  // Cards of the chart come first, and after the last chart the page goes on.
  if (hasButtons || target === root || charts.at(-1)?.key === inUse) return;
  event.preventDefault();
  desk.useNeighbour(1);
}

/** The view lives as long as its place: a chart that closes takes it along. */
function useChartView(seat: Seat, isAlone: boolean) {
  const desk = useDesk();
  const place = useRef<HTMLDivElement>(null);
  const wasAlone = useRef(isAlone);
  wasAlone.current = isAlone;
  useEffect(() => {
    const { key } = seat;
    const leave = seat.mount(place.current!, {
      isCompact: !wasAlone.current,
      isFilled: true,
      onSpec: (spec) => desk.changeSpec(key, () => spec),
      onNeedBack: () => {
        if (!seat.isPlayed) seat.feed.loadBack();
      },
      onTool: (tool) => {
        if (desk.ui.value.tool !== tool) desk.setTool(tool);
      },
      onTime: (time) => desk.moved(key, time),
      onCommand: (command: ViewCommand) => runCommand(desk, command),
      onFirstGesture: () => desk.setUi({ hasHint: false }),
      onUse: () => desk.use(key),
      onAction: (action: FeedActionId) => desk.act(key, action),
      onCopied: (isCopied) =>
        showToast(
          isCopied ? 'Numbers copied.' : 'The browser did not permit copying.',
          isCopied ? 'check' : 'warn',
        ),
    });
    const { tool, isSnapping, areDrawingsHidden } = desk.ui.value;
    seat.view?.setTool(tool);
    seat.view?.setSnap(isSnapping);
    seat.view?.setDrawingsHidden(areDrawingsHidden);
    const unlink = seat.hover.listen(() => desk.hovered(key, seat.hover.value));
    return () => {
      unlink();
      leave();
    };
  }, [seat, desk]);
  useEffect(() => seat.view?.setCompact(!isAlone), [seat, isAlone]);
  return place;
}
