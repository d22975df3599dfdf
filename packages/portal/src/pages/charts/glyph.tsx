/** A small drawing of what each indicator puts on a chart, in the chart's own colours. */

import type { ComponentChildren } from 'preact';

type Dye = 'ask' | 'bid' | 'ink' | 'muted' | 'chart-neutral';

const paint = (dye: Dye) => `var(--${dye})`;

function Box(props: {
  readonly at: readonly [x: number, y: number, width: number, height: number];
  readonly dye: Dye;
  readonly tone?: number;
}) {
  const [x, y, width, height] = props.at;
  return (
    <rect {...{ x, y, width, height }} fill={paint(props.dye)} fill-opacity={props.tone ?? 1} />
  );
}

function Line(props: {
  readonly d: string;
  readonly dye: Dye;
  readonly width?: number;
  readonly dash?: string;
}) {
  const { d, dye, width = 1.5, dash } = props;
  return (
    <path d={d} fill="none" stroke={paint(dye)} stroke-width={width} stroke-dasharray={dash} />
  );
}

function Disc(props: {
  readonly at: readonly [x: number, y: number, r: number];
  readonly dye: Dye;
}) {
  const [cx, cy, r] = props.at;
  return (
    <circle
      {...{ cx, cy, r }}
      fill={paint(props.dye)}
      fill-opacity={0.25}
      stroke={paint(props.dye)}
    />
  );
}

const BID_TONES = [0.3, 1, 0.5, 0.2];
const ASK_TONES = [0.6, 0.3, 0.4, 1];
const PROFILE = [10, 20, 28, 17, 12, 6];
const SPEEDS = [6, 9, 5, 16, 22, 12, 8];

const DRAWINGS: Readonly<Record<string, () => ComponentChildren>> = {
  bars: () => (
    <>
      <Box at={[8, 6, 4, 12]} dye="bid" />
      <Box at={[9.5, 3, 1, 18]} dye="bid" />
      <rect x="18.5" y="9.5" width="4" height="11" fill="none" stroke={paint('ask')} />
      <Box at={[28, 7, 4, 8]} dye="bid" />
      <Box at={[29.5, 5, 1, 16]} dye="bid" />
    </>
  ),
  footprint: () =>
    BID_TONES.map((tone, at) => (
      <>
        <Box at={[8, 5 + at * 6, 11, 5]} dye="bid" tone={tone} />
        <Box at={[20, 5 + at * 6, 11, 5]} dye="ask" tone={ASK_TONES[at]!} />
      </>
    )),
  'large-trades': () => (
    <>
      <Disc at={[13, 18, 7]} dye="bid" />
      <Disc at={[27, 11, 5]} dye="ask" />
    </>
  ),
  delta: () => <Line d="M4 20 10 14l6 3 6-9 6 4 8-7" dye="ask" />,
  'volume-profile': () =>
    PROFILE.map((width, at) => (
      <Box
        at={[36 - width, 3 + at * 4, width, 3]}
        dye="chart-neutral"
        tone={width === 28 ? 1 : 0.5}
      />
    )),
  vwap: () => (
    <>
      <Line d="M4 19C12 16 20 8 36 11" dye="ink" />
      <Line d="M4 13C12 9 20 3 36 5" dye="chart-neutral" width={1} dash="3 2" />
      <Line d="M4 26C12 23 20 15 36 18" dye="chart-neutral" width={1} dash="3 2" />
    </>
  ),
  imbalances: () => (
    <>
      <Box at={[4, 11, 32, 9]} dye="ask" tone={0.18} />
      <Line d="M4 20H36" dye="ask" width={1} />
      <Box at={[4, 8, 3, 12]} dye="ask" />
    </>
  ),
  absorption: () => (
    <>
      <path d="m20 11.6 6.4 6.4-6.4 6.4-6.4-6.4z" fill={paint('bid')} />
      <Line d="M8 26.5H32" dye="ink" />
    </>
  ),
  sweeps: () => <Line d="M20 25V6M15 11l5-5 5 5" dye="ask" width={2} />,
  tpo: () =>
    ['A', 'ABC', 'BCD', 'D'].map((letters, at) => (
      <text x="8" y={9 + at * 6.7}>
        {letters}
      </text>
    )),
  'naked-levels': () => <Line d="M4 9H36M4 21H36" dye="muted" width={1.25} dash="2 2 6 2" />,
  'unfinished-auctions': () => (
    <>
      <circle cx="12" cy="8" r="2.5" fill="none" stroke={paint('ink')} />
      <Line d="M16 8H36" dye="muted" width={1} dash="1 2" />
      <Box at={[9, 13, 6, 12]} dye="chart-neutral" tone={0.5} />
    </>
  ),
  'tape-speed': () =>
    SPEEDS.map((height, at) => (
      <Box
        at={[5 + at * 4.5, 26 - height, 3, height]}
        dye="chart-neutral"
        tone={height > 14 ? 1 : 0.5}
      />
    )),
  'session-levels': () => (
    <>
      <Line d="M4 6H36M4 24H36" dye="chart-neutral" width={1} dash="5 3" />
      <Line d="M4 15H36" dye="chart-neutral" width={1} />
    </>
  ),
};

export function Glyph(props: { readonly indicator: string; readonly isSmall?: boolean }) {
  return (
    <svg class="glyph" viewBox={props.isSmall ? '4 2 32 26' : '0 0 40 30'} aria-hidden="true">
      {DRAWINGS[props.indicator]?.()}
    </svg>
  );
}
