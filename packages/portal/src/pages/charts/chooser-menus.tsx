/** The choosers of the top bar: instrument, bars, look of the cells, ticks per row. */

import {
  BAR_KINDS,
  type BarChoice,
  type BarKind,
  type ChartSpec,
  LOOKS,
  type Look,
  PANES,
} from '@tapeloom/charts/spec/chart-spec';
import { useState } from 'preact/hooks';
import { counted } from '../../components/number-text.ts';
import {
  barText,
  KIND_NAMES,
  SESSION_NAMES,
  SIZE_UNITS,
  sizeMax,
  USUAL_SIZES,
} from './bar-words.ts';
import { withoutPane, withPane } from './chart-items.ts';
import { useDesk, useSeat } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import { foundInstruments, shortTitle } from './instrument-search.ts';
import { LOOK_NAMES, PANE_NAMES } from './look-words.ts';
import { Menu, MenuCheck, MenuItem, Segments } from './menu.tsx';
import { NumberBox } from './number-box.tsx';
import { useStore } from './use-store.ts';

const USUAL_GROUPS = [1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50, 100] as const;
const GROUP_MAX = 10_000;

export function InstrumentChooser() {
  const desk = useDesk();
  const { seat, spec } = useSeat();
  const instrument = desk.instrument(spec.instrument);
  const title = instrument === null ? '' : shortTitle(instrument.name);
  const contract = instrument !== null && instrument.symbol !== spec.instrument;
  return (
    <Menu
      label="Instrument"
      kind="dialog"
      class="chooser"
      button={
        <>
          <span class="symbol">{spec.instrument}</span>
          {instrument !== null && (
            <small class="title wide-only">
              {title}
              {contract && `, ${instrument.symbol}`}
            </small>
          )}
          <DeskIcon name="chevron" />
        </>
      }
    >
      {(close) => (
        <InstrumentList
          chosen={spec.instrument}
          onChoose={(name) => {
            desk.chooseInstrument(seat.key, name);
            close();
          }}
        />
      )}
    </Menu>
  );
}

function InstrumentList(props: {
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}) {
  const desk = useDesk();
  const [typed, setTyped] = useState('');
  const found = foundInstruments(desk.facts.instruments, typed);
  return (
    <>
      <label class="search">
        <DeskIcon name="search" />
        <input
          autofocus
          type="text"
          placeholder="Search instruments"
          aria-label="Search instruments"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || found[0] === undefined) return;
            // The focus returns to the menu's button, which the same key would press again.
            event.preventDefault();
            props.onChoose(found[0].name);
          }}
        />
      </label>
      {found.map(({ name, symbol, title, exchange, status }) => (
        <button
          key={name}
          type="button"
          class="menu-item"
          aria-current={name === props.chosen ? 'true' : undefined}
          onClick={() => props.onChoose(name)}
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

export function BarChooser() {
  const desk = useDesk();
  const { spec } = useSeat();
  const set = (bar: BarChoice) => desk.changeInUse((now) => ({ ...now, bar }));
  return (
    <Menu
      label="Bars"
      kind="dialog"
      button={
        <>
          {barText(spec.bar)}
          <DeskIcon name="chevron" />
        </>
      }
    >
      {(close) => <BarForm bar={spec.bar} onBar={set} onClose={close} />}
    </Menu>
  );
}

function BarForm(props: {
  readonly bar: BarChoice;
  readonly onBar: (bar: BarChoice) => void;
  readonly onClose: () => void;
}) {
  const { bar, onBar, onClose } = props;
  const [kind, setKind] = useState<BarKind>(bar.kind);
  const kinds = BAR_KINDS.map((it) => [it, KIND_NAMES[it]] as const);
  const sessions = (['full', 'rth', 'utc'] as const).map((it) => [it, SESSION_NAMES[it]] as const);
  const choose = (size: number) => {
    onBar({ ...bar, kind, size });
    onClose();
  };
  return (
    <>
      <h3>Bars by</h3>
      <Segments label="Kind of bars" values={kinds} chosen={kind} onChoose={setKind} />
      <div class="size-grid">
        {USUAL_SIZES[kind].map((size) => (
          <button
            key={size}
            type="button"
            class="menu-item"
            aria-pressed={kind === bar.kind && size === bar.size}
            onClick={() => choose(size)}
          >
            {barText({ kind, size })}
          </button>
        ))}
      </div>
      <NumberBox
        label="Another size"
        unit={SIZE_UNITS[kind]}
        max={sizeMax(kind)}
        onNumber={choose}
      />
      <h3>Sessions</h3>
      <Segments
        label="Sessions"
        values={sessions}
        chosen={bar.session}
        onChoose={(session) => onBar({ ...bar, session })}
      />
    </>
  );
}

export function LookChooser() {
  const { spec } = useSeat();
  return (
    <Menu
      label="Look of the chart"
      kind="dialog"
      button={
        <>
          <DeskIcon name="look" />
          <span>{LOOK_NAMES[spec.look]}</span>
          <DeskIcon name="chevron" />
        </>
      }
    >
      {(close) => <LookParts onChosen={close} />}
    </Menu>
  );
}

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

/** The look of the cells, and what stands below and beside the bars. */
export function LookParts({ onChosen }: { readonly onChosen: () => void }) {
  const desk = useDesk();
  const { spec } = useSeat();
  const { look, panes, side, stripRows } = spec;
  const set = (more: Partial<ChartSpec>) => desk.changeInUse((now) => ({ ...now, ...more }));
  return (
    <>
      <LookItems
        chosen={look}
        onLook={(next) => {
          set({ look: next });
          onChosen();
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

function LookItems(props: { readonly chosen: Look; readonly onLook: (look: Look) => void }) {
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

export function GroupChooser() {
  const { seat, spec } = useSeat();
  const desk = useDesk();
  const group = useStore(seat.viewState, (state) => state?.group ?? null);
  const set = (next: number | 'auto') => desk.changeInUse((now) => ({ ...now, group: next }));
  const shown = spec.group === 'auto' ? group : spec.group;
  return (
    <Menu
      label="Ticks per row"
      kind="dialog"
      button={
        <>
          <span>{shown === null ? 'Rows' : counted(shown, 'tick')}</span>
          {spec.group === 'auto' && <small>auto</small>}
          <DeskIcon name="chevron" />
        </>
      }
    >
      {(close) => {
        const choose = (next: number | 'auto') => {
          set(next);
          close();
        };
        return (
          <>
            <button
              type="button"
              class="menu-item"
              aria-pressed={spec.group === 'auto'}
              onClick={() => choose('auto')}
            >
              Automatic <small>as small as is readable</small>
            </button>
            <hr />
            <div class="size-grid">
              {USUAL_GROUPS.map((ticks) => (
                <button
                  key={ticks}
                  type="button"
                  class="menu-item"
                  aria-pressed={spec.group === ticks}
                  onClick={() => choose(ticks)}
                >
                  {counted(ticks, 'tick')}
                </button>
              ))}
            </div>
            <NumberBox label="Another number" unit="ticks" max={GROUP_MAX} onNumber={choose} />
          </>
        );
      }}
    </Menu>
  );
}
