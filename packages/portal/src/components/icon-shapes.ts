/** Our icons as stroked paths on a square of 16, and the mark on one of 24. Pure data, for any renderer. */

export interface IconShape {
  readonly path: string;
  readonly circle?: readonly [cx: number, cy: number, r: number];
  readonly rect?: readonly [x: number, y: number, width: number, height: number, rx: number];
  /** Thicker than the default. */
  readonly stroke?: number;
}

export const ICON_SHAPES = {
  home: { path: 'M2.5 13V8M6.2 13V4M9.8 13V6.5M13.5 13V3' },
  chart: { path: 'M4 2v12M12 3v11M8 1.5v11', rect: [2.5, 5, 3, 5, 0.6] },
  key: { path: 'm7.7 8.3 5.3-5.3M11 5l2 2', circle: [5.5, 10.5, 3] },
  plan: { path: 'M8 1.8 14 5 8 8.2 2 5 8 1.8ZM2 8.3l6 3.2 6-3.2M2 11.3l6 3.2 6-3.2' },
  bill: { path: 'M2 6.5h12', rect: [2, 3.5, 12, 9, 1.5] },
  user: { path: 'M2.8 13.5c.7-2.6 2.7-4 5.2-4s4.5 1.4 5.2 4', circle: [8, 5.5, 2.7] },
  book: {
    path: 'M8 4C6.5 2.8 4.5 2.5 2.5 2.7v9.8c2-.2 4 .1 5.5 1.3 1.5-1.2 3.5-1.5 5.5-1.3V2.7C11.5 2.5 9.5 2.8 8 4Zm0 0v9.8',
  },
  pulse: { path: 'M1.5 8h3l2-5 3 10 2-5h3' },
  more: { path: 'M3.5 8h.01M8 8h.01M12.5 8h.01', stroke: 2.4 },
  warn: { path: 'M8 2.2 14.5 13.5h-13L8 2.2ZM8 6.5v3.2M8 11.7v.1' },
  info: { path: 'M8 7.3v3.5M8 5.2v.1', circle: [8, 8, 6] },
  copy: {
    path: 'M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2',
    rect: [5.5, 5.5, 8, 8, 1.5],
  },
  check: { path: 'm3 8.5 3.2 3L13 4.5' },
  x: { path: 'm4 4 8 8M12 4l-8 8' },
  plus: { path: 'M8 3v10M3 8h10' },
  down: { path: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10' },
  rotate: { path: 'M13 5.5A5.5 5.5 0 0 0 3 6M3 10.5a5.5 5.5 0 0 0 10-.5M13 2.5v3h-3M3 13.5v-3h3' },
  sun: {
    path: 'M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
    circle: [8, 8, 3],
  },
  lock: { path: 'M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2', rect: [3, 7, 10, 7, 1.5] },
  out: { path: 'M6 2.5H3.5a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1H6M10 11l3-3-3-3M13 8H6' },
  moon: { path: 'M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z' },
  cut: { path: 'M2 8h4M10 8h4M6.5 4.5l3 7' },
  pause: { path: 'M5.5 4v8M10.5 4v8' },
  play: { path: 'M5 3.5v9l7.5-4.5Z' },
  search: { path: 'm10.5 10.5 3.5 3.5', circle: [7, 7, 4.5] },
  arrow: { path: 'M3 8h10M9 4l4 4-4 4' },
} as const satisfies Record<string, IconShape>;

export type IconName = keyof typeof ICON_SHAPES;

/** A tape over a warp thread, with bid rows to the left and ask rows to the right. */
export const MARK_SHAPES = {
  warp: 'M3 2.5h18a1 1 0 0 1 1 1V5a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V3.5a1 1 0 0 1 1-1Zm8 5h2a.75.75 0 0 1 .75.75v12.5a.75.75 0 0 1-.75.75h-2a.75.75 0 0 1-.75-.75V8.25A.75.75 0 0 1 11 7.5Z',
  bid: 'M3.5 10h5.25v3.5H3.5a1 1 0 0 1-1-1V11a1 1 0 0 1 1-1Zm3.5 6h1.75v3.5H7a1 1 0 0 1-1-1V17a1 1 0 0 1 1-1Z',
  ask: 'M15.25 10H17a1 1 0 0 1 1 1v1.5a1 1 0 0 1-1 1h-1.75V10Zm0 6h5.25a1 1 0 0 1 1 1v1.5a1 1 0 0 1-1 1h-5.25V16Z',
} as const;
