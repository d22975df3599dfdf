/** A month of days; those with a session that can be played are buttons. */

import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import { useState } from 'preact/hooks';
import { DeskIcon } from './desk-icon.tsx';
import { monthDays, monthText, nearMonth } from './month-days.ts';
import { dateText } from './replay-days.ts';

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

export function DayChooser(props: {
  readonly days: readonly SessionSpan[];
  readonly chosen: number;
  readonly onChoose: (day: SessionSpan) => void;
}) {
  const { days, chosen } = props;
  const [month, setMonth] = useState(dateText(chosen).slice(0, 7));
  const playable = new Map(days.map((day) => [dateText(day.date), day]));
  const months = [...playable.keys()].map((date) => date.slice(0, 7));
  const [first = month, last = month] = [months[0], months.at(-1)];
  return (
    <>
      <div class="days-head">
        <MonthButton
          label="Month before"
          isOff={month <= first}
          onClick={() => setMonth(nearMonth(month, -1))}
        />
        <span role="status">{monthText(month)}</span>
        <MonthButton
          label="Month after"
          isOff={month >= last}
          onClick={() => setMonth(nearMonth(month, 1))}
        />
      </div>
      <div class="days">
        {WEEKDAYS.map((name) => (
          <span key={name} aria-hidden="true">
            {name}
          </span>
        ))}
        {monthDays(month).map((date, at) => {
          if (date === null) return <i key={`${month} ${at}`} />;
          const day = playable.get(date);
          return (
            <button
              key={date}
              type="button"
              aria-pressed={date === dateText(chosen)}
              aria-disabled={day === undefined || undefined}
              aria-label={date}
              onClick={() => day !== undefined && props.onChoose(day)}
            >
              {Number(date.slice(8))}
            </button>
          );
        })}
      </div>
    </>
  );
}

function MonthButton(props: {
  readonly label: 'Month before' | 'Month after';
  readonly isOff: boolean;
  readonly onClick: () => void;
}) {
  const { label, isOff } = props;
  return (
    <button
      type="button"
      class="b icon-only"
      aria-label={label}
      aria-disabled={isOff || undefined}
      onClick={() => !isOff && props.onClick()}
    >
      <DeskIcon name={label === 'Month before' ? 'step-back' : 'step-on'} />
    </button>
  );
}
