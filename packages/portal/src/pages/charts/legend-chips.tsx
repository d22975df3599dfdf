/** A chip per indicator: its value at the crosshair; a click edits it, and on hover it can be hidden or removed. */

import { topicName } from '@tapeloom/charts/feed/topics';
import type { LayerState } from '@tapeloom/charts/series/chart-content';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ChartItem, chartItems, withItemHidden, withoutItem } from './chart-items.ts';
import { useDesk } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import { Glyph } from './glyph.tsx';
import { isDrawn, shortName } from './indicator-facts.ts';
import type { LegendProps } from './legend-props.ts';
import { type LegendValue, legendValue } from './legend-values.ts';
import { Menu, MenuItem } from './menu.tsx';
import type { Seat } from './seat.ts';
import { useStore } from './use-store.ts';

/** So many pixels the button for the rest takes. */
const MORE_WIDTH = 56;

export function LegendChips({ seat, spec, isCompact }: LegendProps) {
  const items = chartItems(spec).filter(
    // Panes have their values beside them.
    ({ indicator, isImplied }) =>
      !isImplied || indicator === 'volume-profile' || indicator === 'tpo',
  );
  const row = useRef<HTMLDivElement>(null);
  const fitting = useFitting(row, items.map(({ key }) => key).join(' '));
  const rest = items.slice(fitting);
  return (
    <div class="chips" ref={row}>
      {items.map((item, at) => (
        <Chip
          key={item.key}
          seat={seat}
          item={item}
          isCompact={isCompact}
          isFitting={at < fitting}
        />
      ))}
      {rest.length > 0 && <RestOfChips seat={seat} rest={rest} />}
    </div>
  );
}

/** How many chips have room, now and whenever the row or a value changes its width. */
function useFitting(row: { readonly current: HTMLElement | null }, keys: string): number {
  const [fitting, setFitting] = useState(99);
  useLayoutEffect(() => {
    const look = () => setFitting(countFitting(row.current!));
    const observer = new ResizeObserver(look);
    observer.observe(row.current!);
    for (const chip of row.current!.querySelectorAll('.chip')) observer.observe(chip);
    look();
    return () => observer.disconnect();
  }, [row, keys]);
  return fitting;
}

/** How many chips have room; the hidden ones keep their widths, so that they can come back. */
function countFitting(row: HTMLElement): number {
  const chips = [...row.querySelectorAll<HTMLElement>('.chip')];
  const room = row.clientWidth;
  const gap = 4;
  let used = 0;
  for (const [at, chip] of chips.entries()) {
    used += chip.offsetWidth + gap;
    const needed = at === chips.length - 1 ? used - gap : used + MORE_WIDTH;
    if (needed > room) return at;
  }
  return chips.length;
}

function Chip(props: {
  readonly seat: Seat;
  readonly item: ChartItem;
  readonly isCompact: boolean;
  readonly isFitting: boolean;
}) {
  const { seat, item, isCompact, isFitting } = props;
  const desk = useDesk();
  useStore(seat.frames);
  useStore(seat.hover);
  useStore(seat.linkedNs);
  const isOpen = useStore(
    desk.ui,
    ({ drawer }) => drawer?.t === 'indicators' && drawer.editing === item.key,
  );
  const name = shortName(item.indicator);
  const { value, note, title, isRefused, isSummed } = sayOf(seat, item);
  const classes = [
    'chip',
    isSummed && 'is-summed',
    isOpen && 'is-open',
    item.isHidden && 'is-hidden',
    isRefused && 'is-refused',
    !isFitting && 'is-out',
  ];
  return (
    <span class={classes.filter(Boolean).join(' ')} inert={!isFitting || undefined}>
      <button type="button" title={title} onClick={() => editItem(desk, seat, item)}>
        <Glyph indicator={item.indicator} isSmall />
        {name}
        {value !== '' && <b>{value}</b>}
        {note !== '' && !isCompact && <span class="note">{note}</span>}
        {isSummed && <span class="visually-hidden">, summed here</span>}
      </button>
      <ChipActs seat={seat} item={item} name={name} />
    </span>
  );
}

function ChipActs(props: { readonly seat: Seat; readonly item: ChartItem; readonly name: string }) {
  const { seat, item, name } = props;
  const desk = useDesk();
  const { key, isHidden, isImplied } = item;
  const eye = isHidden ? `Show ${name}` : `Hide ${name}`;
  return (
    <span class="hands">
      {!isImplied && (
        <button
          type="button"
          class="act"
          aria-label={eye}
          title={eye}
          onClick={() => desk.changeSpec(seat.key, (spec) => withItemHidden(spec, key, !isHidden))}
        >
          <DeskIcon name={isHidden ? 'eye-off' : 'eye'} />
        </button>
      )}
      <button
        type="button"
        class="act"
        aria-label={`Remove ${name}`}
        title={`Remove ${name}`}
        onClick={() => desk.changeSpec(seat.key, (spec) => withoutItem(spec, key))}
      >
        <DeskIcon name="close" />
      </button>
    </span>
  );
}

function RestOfChips(props: { readonly seat: Seat; readonly rest: readonly ChartItem[] }) {
  const desk = useDesk();
  const { seat, rest } = props;
  return (
    <Menu
      label={`${rest.length} more indicators`}
      buttonClass="more-chips"
      isAtEnd
      button={`+${rest.length}`}
    >
      {(close) =>
        rest.map((item) => {
          const { value, note } = sayOf(seat, item);
          return (
            <MenuItem
              key={item.key}
              note={[value, note].filter(Boolean).join(' ')}
              onClick={() => {
                close();
                editItem(desk, seat, item);
              }}
            >
              {shortName(item.indicator)}
            </MenuItem>
          );
        })
      }
    </Menu>
  );
}

function editItem(desk: ReturnType<typeof useDesk>, seat: Seat, item: ChartItem): void {
  desk.use(seat.key);
  if (isDrawn(item.indicator) || desk.definition(item.indicator) === null) {
    const { key, indicator } = item;
    desk.openDrawer({ t: 'indicators', open: indicator, editing: key, isSearching: false });
  } else desk.openDrawer({ t: 'objects', item: item.key });
}

interface Said extends LegendValue {
  readonly title: string;
  readonly isSummed: boolean;
  readonly isRefused: boolean;
}

const NOTHING: Said = { value: '', note: '', title: '', isRefused: false, isSummed: false };

function sayOf(seat: Seat, item: ChartItem): Said {
  const { layers, instrument } = seat.content;
  const layer = layers.get(item.key);
  const { bar } = seat;
  const edit = `Edit ${shortName(item.indicator)}`;
  const state: LayerState = layer?.state ?? { t: 'loading' };
  if (state.t === 'refused') {
    return { ...NOTHING, value: 'not shown', title: state.text, isRefused: true };
  }
  if (layer === undefined || bar === null || instrument === null) {
    return { ...NOTHING, title: edit };
  }
  const asked = { objects: layer.objects, bar, tickSizeNanos: instrument.tickSizeNanos };
  const said = legendValue(item.indicator, asked);
  const none =
    said.value === 'none'
      ? ` No ${topicName(item)} in this bar. New ones appear as they happen.`
      : '';
  const summed = layer.isSummedHere ? ' Summed here from the footprint.' : '';
  return {
    ...said,
    title: `${edit}.${summed}${none}`,
    isRefused: false,
    isSummed: layer.isSummedHere,
  };
}
