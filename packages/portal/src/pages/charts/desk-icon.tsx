/** Icons of the chart workspace, on a square of 16 like those of every page. Pure shapes: other pages load none of them. */

import type { IconShape } from '../../components/icon-shapes.ts';

const SHAPES = {
  chevron: { path: 'm4 6 4 4 4-4' },
  crosshair: { path: 'M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4' },
  range: { path: 'M2.5 2v12M13.5 2v12M2.5 4.5h6M2.5 7.5h8.5M2.5 10.5h4' },
  line: { path: 'M1.5 8h4.7M9.8 8h4.7', circle: [8, 8, 1.8] },
  trend: {
    path: 'm4.1 11.9 7.8-7.8M1.7 13a1.3 1.3 0 1 0 2.6 0 1.3 1.3 0 1 0-2.6 0M11.7 3a1.3 1.3 0 1 0 2.6 0 1.3 1.3 0 1 0-2.6 0',
  },
  rectangle: { path: '', rect: [2.5, 4, 11, 8, 1] },
  text: { path: 'M3.5 4.5V3h9v1.5M8 3v10M6.5 13h3' },
  measure: { path: 'm2 11 9-9 3 3-9 9zM5 8l1.5 1.5M7.5 5.5 9 7' },
  magnet: { path: 'M3.5 2.5v5a4.5 4.5 0 0 0 9 0v-5h-3v5a1.5 1.5 0 0 1-3 0v-5zM3.5 5h3M9.5 5h3' },
  eye: {
    path: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8Z',
    circle: [8, 8, 1.8],
  },
  'eye-off': { path: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM3 13 13 3' },
  trash: { path: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9' },
  plus: { path: 'M8 3v10M3 8h10' },
  indicators: { path: 'M2 13V9M5 13V4M8 13V7M11 13V2.5M14 13V6' },
  replay: { path: 'M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 2.5v3.3h3.3' },
  share: { path: 'M8 9.5V2M5 4.5 8 1.5l3 3M3 8v5.5h10V8' },
  full: { path: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10' },
  grid: { path: 'M8 2.5v11M2 8h12', rect: [2, 2.5, 12, 11, 1] },
  close: { path: 'm4 4 8 8M12 4l-8 8' },
  search: { path: 'm10.2 10.2 3.3 3.3', circle: [7, 7, 4.2] },
  play: { path: 'M5 3v10l8-5z' },
  pause: { path: 'M5.5 3.5v9M10.5 3.5v9', stroke: 2.5 },
  'step-on': { path: 'M4 3.5v9L10 8zM12 3.5v9' },
  'step-back': { path: 'M12 3.5v9L6 8zM4 3.5v9' },
  wire: { path: 'M2 4.5h8M2 8h12M2 11.5h6' },
  more: { path: 'M3.5 8h.01M8 8h.01M12.5 8h.01', stroke: 2.4 },
  look: {
    path: 'M2 2.5h5.5v3H2zM8.5 2.5H14v3H8.5zM2 6.5h5.5v3H2zM8.5 6.5H14v3H8.5zM2 10.5h5.5v3H2zM8.5 10.5H14v3H8.5z',
  },
  keyboard: {
    path: 'M4.5 6.5h.01M7 6.5h.01M9.5 6.5h.01M12 6.5h.01M5 9.5h6',
    rect: [1.5, 3.5, 13, 9, 1.5],
  },
  check: { path: 'm3 8.5 3.2 3L13 4.5' },
  sun: {
    path: 'M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
    circle: [8, 8, 3],
  },
  moon: { path: 'M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z' },
  clock: { path: 'M8 4.5V8l2.5 1.5', circle: [8, 8, 6] },
  pen: { path: 'm3 13 .7-3L11 2.7l2.3 2.3L6 12.3z' },
  table: { path: 'M2 6h12M2 9.5h12M6.5 6v7.5', rect: [2, 2.5, 12, 11, 1] },
  copy: {
    path: 'M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2',
    rect: [5.5, 5.5, 8, 8, 1.5],
  },
} as const satisfies Record<string, IconShape>;

export type DeskIconName = keyof typeof SHAPES;

/** Beside a word, or in a button that has a label. */
export function DeskIcon({ name }: { readonly name: DeskIconName }) {
  const { path, circle, rect, stroke }: IconShape = SHAPES[name];
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" stroke-width={stroke}>
      {circle && <circle cx={circle[0]} cy={circle[1]} r={circle[2]} />}
      {rect && <rect x={rect[0]} y={rect[1]} width={rect[2]} height={rect[3]} rx={rect[4]} />}
      {path !== '' && <path d={path} />}
    </svg>
  );
}
