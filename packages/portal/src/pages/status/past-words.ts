/** The service's past days in words, singly and in total. */

import { lengthText } from '@tapeloom/core/status/status-words';
import type { StatusHistoryView } from '../../api/portal-shapes.ts';
import { counted } from '../../components/number-text.ts';
import { dayText } from '../../components/time-text.ts';

export type PastDay = StatusHistoryView['days'][number];

/** `18 Nov 2026: down for 5 minutes` */
export function dayWords({ day, state, partialSeconds, downSeconds }: PastDay): string {
  const name = dayText(Date.parse(day));
  if (state === 'down') return `${name}: down for ${lengthText(downSeconds)}`;
  if (state === 'partial') return `${name}: partly down for ${lengthText(partialSeconds)}`;
  return `${name}: ${state === 'up' ? 'up' : 'no record'}`;
}

/** The bars' summary for screen readers. */
export function daysSentence(days: readonly PastDay[]): string {
  const count = (state: PastDay['state']) => days.filter((day) => day.state === state).length;
  const affected = days.filter(({ state }) => state === 'down' || state === 'partial');
  const parts = [
    `${counted(count('up'), 'day')} up`,
    ...(affected.length > 0 ? [`${counted(affected.length, 'day')} with incidents`] : []),
    ...(count('none') > 0 ? [`${counted(count('none'), 'day')} without a record`] : []),
  ];
  const sentence = `Of the last ${days.length} days: ${parts.join(', ')}.`;
  if (affected.length === 0) return sentence;
  return `${sentence} ${affected.map(dayWords).join('; ')}.`;
}
