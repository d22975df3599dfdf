/** The choosers of the top bar: instrument, bars, look, ticks per row. What they open is fetched with the first one. */

import type { ComponentChildren } from 'preact';
import { counted } from '../../components/number-text.ts';
import { barText } from './bar-words.ts';
import { useDesk, useSeat } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import { shortTitle } from './instrument-search.ts';
import { later } from './later.tsx';
import { LOOK_NAMES } from './look-words.ts';
import { Menu } from './menu.tsx';
import { useStore } from './use-store.ts';

type Part = 'InstrumentPart' | 'BarPart' | 'LookPart' | 'GroupPart';

const part = (name: Part) => later(async () => (await import('./chooser-parts.tsx'))[name]);
const InstrumentPart = part('InstrumentPart');
const BarPart = part('BarPart');
const GroupPart = part('GroupPart');
export const LookPart = part('LookPart');

export function InstrumentChooser() {
  const desk = useDesk();
  const { spec } = useSeat();
  const instrument = desk.instrument(spec.instrument);
  const isAlias = instrument !== null && instrument.symbol !== spec.instrument;
  return (
    <Chooser
      label="Instrument"
      class="chooser"
      part={InstrumentPart}
      button={
        <>
          <span class="symbol">{spec.instrument}</span>
          {instrument !== null && (
            <small class="title wide-only">
              {shortTitle(instrument.name)}
              {isAlias && `, ${instrument.symbol}`}
            </small>
          )}
        </>
      }
    />
  );
}

export function BarChooser() {
  const { bar } = useSeat().spec;
  return <Chooser label="Bars" part={BarPart} button={barText(bar)} />;
}

export function LookChooser() {
  const { look } = useSeat().spec;
  return (
    <Chooser
      label="Look of the chart"
      part={LookPart}
      button={
        <>
          <DeskIcon name="look" />
          <span>{LOOK_NAMES[look]}</span>
        </>
      }
    />
  );
}

export function GroupChooser() {
  const { seat, spec } = useSeat();
  const drawn = useStore(seat.viewState, (state) => state?.group ?? null);
  const isAuto = spec.group === 'auto';
  const shown = isAuto ? drawn : Number(spec.group);
  return (
    <Chooser
      label="Ticks per row"
      part={GroupPart}
      button={
        <>
          <span>{shown === null ? 'Rows' : counted(shown, 'tick')}</span>
          {isAuto && <small>auto</small>}
        </>
      }
    />
  );
}

function Chooser(props: {
  readonly label: string;
  readonly class?: string;
  readonly button: ComponentChildren;
  readonly part: ReturnType<typeof part>;
}) {
  const { part: Opened, button, ...menu } = props;
  return (
    <Menu
      {...menu}
      kind="dialog"
      button={
        <>
          {button}
          <DeskIcon name="chevron" />
        </>
      }
    >
      {(close) => <Opened onClose={close} />}
    </Menu>
  );
}
