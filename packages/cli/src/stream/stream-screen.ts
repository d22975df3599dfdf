/** The picture of a running stream: what is streamed, how it is doing, and the indicator's own view. */

import { cutSeen, type Ink, padEndSeen, seenWidth } from './ink.ts';
import type { ScreenSize } from './screen.ts';
import type { StreamState } from './stream-state.ts';
import type { StreamView, ViewContext } from './stream-view.ts';
import { clockText, dateText, spanText } from './text-format.ts';

export interface StreamPicture {
  /** `BTC.c.0 footprint`, as asked. */
  readonly title: string;
  readonly state: StreamState;
  readonly view: StreamView;
  readonly context: ViewContext;
  /** When a closed market opens; null when not known or not closed. */
  readonly opensAt: bigint | null;
  /** The service's time now. */
  readonly nowNs: bigint | null;
}

const LINES_AROUND = 4;

export function pictureLines(picture: StreamPicture, size: ScreenSize): string[] {
  const { state, view, context } = picture;
  const { ink } = context;
  const objects = [...state.objects.values()];
  const height = size.rows - LINES_AROUND;
  const sentence = stateSentence(picture);
  const body = view.screen(objects, sentence === null ? height : height - 2, context);
  const lines = [headLine(picture, size.columns), ink.faint('─'.repeat(size.columns))];
  if (sentence !== null) lines.push(` ${sentence}`, '');
  lines.push(...body.map((line) => ` ${line}`));
  while (lines.length < size.rows - 1) lines.push('');
  lines.push(ink.faint(cutSeen(` ctrl-c ends   ${view.legend}`, size.columns)));
  return lines;
}

/** What there is to say beside the objects; null when all is well. */
export function stateSentence({ state, opensAt, nowNs }: StreamPicture): string | null {
  switch (state.state) {
    case null:
      return 'Connecting.';
    case 'warming':
      return 'Building up from the tape.';
    case 'stale':
      return 'The market is open, but its source is silent.';
    case 'down':
      return 'The source is unavailable; the stream goes on as soon as it is back.';
    case 'closed':
      if (opensAt === null || nowNs === null) return 'The market is closed.';
      return `The market is closed. It opens ${dateText(opensAt)}, in ${spanText(opensAt - nowNs)}.`;
    case 'live':
      if (!state.hasSnapshot || state.objects.size > 0) return null;
      return 'Nothing in this session yet.';
    default:
      return state.state satisfies never;
  }
}

function headLine(picture: StreamPicture, columns: number): string {
  const { state, title, context, nowNs } = picture;
  const { ink } = context;
  const contract = state.contract === null ? '' : ink.faint(` ${state.contract}`);
  const left = ` ${ink.bold(title)}${contract}`;
  const lag = state.lagMs >= 1_000 ? ink.yellow(` ${spanText(lagNs(state.lagMs))} behind`) : '';
  const time = nowNs === null ? '' : `  ${clockText(nowNs)} UTC`;
  const right = `${stateBadge(state, ink)}${lag}${time} `;
  return padEndSeen(left, columns - seenWidth(right)) + right;
}

function stateBadge({ state }: StreamState, ink: Ink): string {
  const text = state ?? 'connecting';
  if (state === 'live') return ink.green(`● ${text}`);
  return state === 'stale' || state === 'down' ? ink.red(`● ${text}`) : ink.yellow(`○ ${text}`);
}

function lagNs(ms: number): bigint {
  return BigInt(Math.round(ms)) * 1_000_000n;
}
