/** The day of a replay as a selvedge: a thread per minute of delta, no further than it has been watched. */

import type { SelvedgeMinute } from '@tapeloom/charts/feed/replay';
import type { SessionSpan } from '@tapeloom/charts/series/sessions';

const MINUTE_NS = 60_000_000_000n;
/** Longer threads are cut: one minute must not flatten the day. */
const FULL_SHARE = 0.985;

export interface Thread {
  /** 0 to 1 of the width. */
  readonly x: number;
  readonly width: number;
  /** −1 to 1 of the half height. */
  readonly height: number;
}

export function threadsOfDay(
  minutes: readonly SelvedgeMinute[],
  { openNs, closeNs }: Pick<SessionSpan, 'openNs' | 'closeNs'>,
): readonly Thread[] {
  const total = Number(closeNs - openNs);
  if (total <= 0 || minutes.length === 0) return [];
  const sizes = minutes.map(({ delta }) => Math.abs(delta)).sort((a, b) => a - b);
  const full = sizes[Math.floor(sizes.length * FULL_SHARE)] || sizes.at(-1) || 1;
  const width = Number(MINUTE_NS) / total;
  return minutes.map(({ fromNs, delta }) => ({
    x: Number(fromNs - openNs) / total,
    width,
    height: Math.sign(delta) * Math.min(1, Math.sqrt(Math.abs(delta) / full)),
  }));
}

export interface SelvedgePicture {
  readonly threads: readonly Thread[];
  /** 0 to 1: where the replay stands. */
  readonly at: number;
  /** 0 to 1: where regular hours begin and end. */
  readonly marks: readonly { readonly x: number; readonly text: string }[];
}

const PADDING = 8;
const KNOB = 6;

export function paintSelvedge(canvas: HTMLCanvasElement, picture: SelvedgePicture): void {
  const ratio = devicePixelRatio;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width === 0 || height === 0) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim() || 'CanvasText';
  const middle = height / 2;
  context.fillStyle = colour('line-strong');
  context.fillRect(0, middle - 0.5, width, 1);
  for (const side of ['ask', 'bid'] as const) {
    context.fillStyle = colour(side);
    context.beginPath();
    for (const thread of picture.threads) {
      if (side === 'ask' ? thread.height <= 0 : thread.height >= 0) continue;
      const size = Math.abs(thread.height) * (middle - PADDING);
      const top = side === 'ask' ? middle - size : middle;
      context.rect(thread.x * width, top, Math.max(0.7, thread.width * width * 0.75), size);
    }
    context.fill();
  }
  context.font = `500 10px ${style.fontFamily}`;
  context.textBaseline = 'top';
  for (const { x, text } of picture.marks) {
    const left = Math.round(x * width);
    context.fillStyle = colour('line-strong');
    context.fillRect(left, 0, 1, height);
    const isLate = left > width - 48;
    context.fillStyle = colour('faint');
    context.textAlign = isLate ? 'right' : 'left';
    context.fillText(text, left + (isLate ? -4 : 4), 0);
  }
  paintKnob(context, {
    x: Math.round(picture.at * width),
    height,
    ink: colour('ink'),
    hole: colour('on-ink'),
  });
}

function paintKnob(
  context: CanvasRenderingContext2D,
  knob: {
    readonly x: number;
    readonly height: number;
    readonly ink: string;
    readonly hole: string;
  },
): void {
  const { x, height, ink, hole } = knob;
  context.fillStyle = ink;
  context.fillRect(x - 1, 0, 2, height);
  context.beginPath();
  context.arc(x, height / 2, KNOB, 0, 7);
  context.fill();
  context.fillStyle = hole;
  context.beginPath();
  context.arc(x, height / 2, 2.5, 0, 7);
  context.fill();
}
