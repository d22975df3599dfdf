/** What the choosers of the top bar open: instruments, bars, the look of a chart, ticks per row. Fetched with the first one. */

import {
  BAR_KINDS,
  type BarKind,
  type ChartSpec,
  LOOKS,
  type Look,
  PANES,
} from '@tapeloom/charts/spec/chart-spec';
import { useState } from 'preact/hooks';
import { counted } from '../../components/number-text.ts';
import { SESSION_NAMES, sizeMax, USUAL_SIZES } from './bar-sizes.ts';
import { barText, KIND_NAMES, SIZE_UNITS } from './bar-words.ts';
import { useDesk, useSeat } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import { foundInstruments } from './instrument-search.ts';
import { withoutPane, withPane } from './item-changes.ts';
import { LOOK_NAMES, PANE_NAMES } from './look-words.ts';
import { MenuCheck, MenuItem, Segments } from './menu.tsx';
import { NumberBox } from './number-box.tsx';

const USUAL_GROUPS = [1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50, 100] as const;
const GROUP_MAX = 10_000;
const SESSIONS = (['full', 'rth', 'utc'] as const).map((it) => [it, SESSION_NAMES[it]] as const);
const STRIPS = [
  [0, 'None'],
  [2, 'Delta, volume'],
  [4, 'And bid, ask'],
] as const;
const SIDES = [
  ['none', 'None'],
  ['profile', 'Profile'],
  ['tpo', 'TPO'],
] as const;

interface PartProps {
  readonly onClose: () => void;
}

export function InstrumentPart({ onClose }: PartProps) {
  const desk = useDesk();
  const { seat, spec } = useSeat();
  const [typed, setTyped] = useState('');
  const found = foundInstruments(desk.facts.instruments, typed);
  const choose = (name: string) => {
    desk.chooseInstrument(seat.key, name);
    onClose();
  };
  return (
    <>
      <label class="search">
        <DeskIcon name="search" />
        <input
          type="text"
          placeholder="Search instruments"
          aria-label="Search instruments"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || found[0] === undefined) return;
            // The button that gets the focus would open the chooser again.
            event.preventDefault();
            choose(found[0].name);
          }}
        />
      </label>
      {found.map(({ name, symbol, title, exchange, status }) => (
        <button
          key={name}
          type="button"
          class="menu-item"
          aria-current={name === spec.instrument ? 'true' : undefined}
          onClick={() => choose(name)}
        >
          <b>{name}</b>
          <small>{status === 'open' ? (symbol === name ? '' : symbol) : 'closed'}</small>
          <span>
            {title}, {exchange}
          </span>
        </button>
      ))}
      {found.length === 0 && <p role="status">No instrument of your plan has these words.</p>}
    </>
  );
}

export function BarPart({ onClose }: PartProps) {
  const desk = useDesk();
  const { bar } = useSeat().spec;
  const [kind, setKind] = useState<BarKind>(bar.kind);
  const kinds = BAR_KINDS.map((it) => [it, KIND_NAMES[it]] as const);
  const set = (more: Partial<ChartSpec['bar']>) =>
    desk.changeInUse((now) => ({ ...now, bar: { ...now.bar, ...more } }));
  const choose = (size: number) => {
    set({ kind, size });
    onClose();
  };
  return (
    <>
      <h3>Bars by</h3>
      <Segments label="Kind of bars" values={kinds} chosen={kind} onChoose={setKind} />
      <Sizes
        sizes={USUAL_SIZES[kind]}
        text={(size) => barText({ kind, size })}
        chosen={kind === bar.kind ? bar.size : null}
        onChoose={choose}
      />
      <NumberBox
        label="Another size"
        unit={SIZE_UNITS[kind]}
        max={sizeMax(kind)}
        onNumber={choose}
      />
      <h3>Sessions</h3>
      <Segments
        label="Sessions"
        values={SESSIONS}
        chosen={bar.session}
        onChoose={(session) => set({ session })}
      />
    </>
  );
}

/** The look of the cells, and what stands below and beside the bars. */
export function LookPart({ onClose }: PartProps) {
  const desk = useDesk();
  const { look, panes, side, stripRows } = useSeat().spec;
  const set = (more: Partial<ChartSpec>) => desk.changeInUse((now) => ({ ...now, ...more }));
  return (
    <>
      <Looks
        chosen={look}
        onLook={(next) => {
          set({ look: next });
          onClose();
        }}
      />
      <hr />
      <h3>Numbers below the bars</h3>
      <Segments
        label="Numbers below the bars"
        values={STRIPS}
        chosen={stripRows === 0 ? 0 : stripRows <= 2 ? 2 : 4}
        onChoose={(rows) => set({ stripRows: rows })}
      />
      <h3>At the side</h3>
      <Segments
        label="At the side"
        values={SIDES}
        chosen={side}
        onChoose={(next) => set({ side: next })}
      />
      <h3>Panes</h3>
      {PANES.map((pane) => (
        <MenuCheck
          key={pane}
          isChecked={panes.includes(pane)}
          onChange={(isShown) =>
            desk.changeInUse((now) => (isShown ? withPane(now, pane) : withoutPane(now, pane)))
          }
        >
          {PANE_NAMES[pane]}
        </MenuCheck>
      ))}
    </>
  );
}

export function GroupPart({ onClose }: PartProps) {
  const desk = useDesk();
  const { group } = useSeat().spec;
  const choose = (next: number | 'auto') => {
    desk.changeInUse((now) => ({ ...now, group: next }));
    onClose();
  };
  return (
    <>
      <MenuItem
        isChosen={group === 'auto'}
        note="as small as is readable"
        onClick={() => choose('auto')}
      >
        Automatic
      </MenuItem>
      <hr />
      <Sizes
        sizes={USUAL_GROUPS}
        text={(ticks) => counted(ticks, 'tick')}
        chosen={group === 'auto' ? null : group}
        onChoose={choose}
      />
      <NumberBox label="Another number" unit="ticks" max={GROUP_MAX} onNumber={choose} />
    </>
  );
}

function Looks(props: { readonly chosen: Look; readonly onLook: (look: Look) => void }) {
  return LOOKS.map((look, at) => (
    <MenuItem
      key={look}
      isChosen={look === props.chosen}
      note={look === 'candles' ? undefined : <kbd>{at + 1}</kbd>}
      onClick={() => props.onLook(look)}
    >
      {LOOK_NAMES[look]}
    </MenuItem>
  ));
}

function Sizes(props: {
  readonly sizes: readonly number[];
  readonly text: (size: number) => string;
  readonly chosen: number | null;
  readonly onChoose: (size: number) => void;
}) {
  return (
    <div class="size-grid">
      {props.sizes.map((size) => (
        <MenuItem key={size} isChosen={size === props.chosen} onClick={() => props.onChoose(size)}>
          {props.text(size)}
        </MenuItem>
      ))}
    </div>
  );
}
