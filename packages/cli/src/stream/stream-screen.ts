/** The picture of a running stream: its title, its state, and the indicator's own view. */

import type { SubscriptionState } from '@tapeloom/client';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { cutSeen, padEndSeen, seenWidth } from './ink.ts';
import type { ScreenSize } from './screen.ts';
import type { StreamView, ViewContext } from './stream-view.ts';
import { clockText, dateText, spanText } from './text-format.ts';

export interface StreamPicture {
  /** `BTC.c.0 footprint`, as typed. */
  readonly title: string;
  readonly state: SubscriptionState<string>;
  /** Why there is no connection, while the client reconnects; null: there is one. */
  readonly away: string | null;
  readonly view: StreamView;
  readonly context: ViewContext;
  /** When a closed market opens; null when unknown or not closed. */
  readonly opensAt: bigint | null;
  /** The service's time now. */
  readonly nowNs: bigint;
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

/** A sentence about the stream's state; null when the stream is live and current. */
export function stateSentence(picture: StreamPicture): string | null {
  const { state, away, opensAt, nowNs } = picture;
  if (away !== null) return away;
  switch (state.status) {
    case null:
      return 'Connecting.';
    case 'warming':
      return 'Loading from the tape.';
    case 'stale':
      return 'The market is open, but its source is silent.';
    case 'down':
      return 'The source is unavailable; the stream resumes as soon as it is back.';
    case 'closed':
      if (opensAt === null) return 'The market is closed.';
      return `The market is closed. It opens ${dateText(opensAt)}, in ${spanText(opensAt - nowNs)}.`;
    case 'live':
      if (state.cursor === null || state.objects.size > 0) return null;
      return 'Nothing in this session yet.';
    default:
      // A newer service may have states that this command does not know.
      return `The stream is ${state.status}.`;
  }
}

function headLine(picture: StreamPicture, columns: number): string {
  const { state, title, context, nowNs } = picture;
  const { ink } = context;
  const contract = state.contract === null ? '' : ink.faint(` ${state.contract}`);
  const left = ` ${ink.bold(title)}${contract}`;
  const lag = state.lagMs >= 1_000 ? ink.yellow(` ${spanText(lagNs(state.lagMs))} behind`) : '';
  const right = `${stateBadge(picture)}${lag}  ${clockText(nowNs)} UTC `;
  return padEndSeen(left, columns - seenWidth(right)) + right;
}

function stateBadge({ state, away, context }: StreamPicture): string {
  const { ink } = context;
  if (away !== null) return ink.red('○ away');
  const text = state.status ?? 'connecting';
  if (text === 'live') return ink.green(`● ${text}`);
  return text === 'stale' || text === 'down' ? ink.red(`● ${text}`) : ink.yellow(`○ ${text}`);
}

function lagNs(ms: number): bigint {
  return BigInt(Math.round(ms)) * MS_NS_BIG;
}
