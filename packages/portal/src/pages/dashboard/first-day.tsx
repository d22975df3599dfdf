/** The first day: three steps with their states; the first unfinished one is expanded. */

import type { ComponentChildren } from 'preact';
import type { KeyList, UsageView } from '../../api/portal-shapes.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { Icon } from '../../components/icon.tsx';
import { FirstBar } from './first-bar.tsx';
import { firstRequestTabs } from './first-request-code.ts';

export interface FirstDayProps {
  readonly usage: UsageView;
  readonly keys: KeyList;
  /** The bar has arrived, and the reader still views it. */
  readonly isLooking: boolean;
  readonly onLooking: (isLooking: boolean) => void;
}

type Facts = Pick<FirstDayProps, 'usage' | 'keys'>;

/** True until all three steps are done; an account with usage in an earlier month needs no first steps. */
export function isFirstDay({ usage, keys }: Facts): boolean {
  const earlier = usage.months.slice(0, -1);
  if (earlier.some(({ used }) => used.restRequests > 0 || used.computeUnits > 0)) return false;
  return Object.values(stepsDone({ usage, keys })).includes(false);
}

function stepsDone({ usage, keys }: Facts) {
  return {
    hasKey: keys.keys.length > 0,
    hasRequested:
      usage.used.restRequests > 0 || keys.keys.some(({ lastUsedAt }) => lastUsedAt !== null),
    hasBar: usage.hasStreamed,
  };
}

export function FirstDay({ usage, keys, isLooking, onLooking }: FirstDayProps) {
  const { hasKey, hasRequested, hasBar: hasStreamed } = stepsDone({ usage, keys });
  const hasBar = hasStreamed && !isLooking;
  const next = [hasKey, hasRequested, hasBar].indexOf(false);
  return (
    <Card
      title="Your first day"
      aside={
        <span class="tiny faint">
          {[hasKey, hasRequested, hasBar].filter(Boolean).length} of 3 done
        </span>
      }
    >
      <ol class="steps">
        <Step number={1} title="Make a key" isDone={hasKey} isNext={next === 0}>
          <p>Your programs sign in with a key. It is shown once; copy it to where they run.</p>
          <ButtonLink kind="primary" icon="plus" href="/keys#new">
            New key
          </ButtonLink>
        </Step>
        <Step number={2} title="Send a first request" isDone={hasRequested} isNext={next === 1}>
          <p>Run this where your key is. This page notices within a few seconds.</p>
          <CodeTabs label="First request" tabs={firstRequestTabs(location.origin)} />
        </Step>
        <Step number={3} title="See a first bar" isDone={hasBar} isNext={next === 2}>
          <FirstBar
            plan={usage.plan}
            onArrived={() => onLooking(true)}
            onDone={() => onLooking(false)}
          />
        </Step>
      </ol>
    </Card>
  );
}

function Step(props: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly children: ComponentChildren;
}) {
  const { number, title, isDone, isNext, children } = props;
  return (
    <li
      class={isDone ? 'done' : isNext ? 'next' : 'later'}
      aria-current={isNext ? 'step' : undefined}
    >
      <span class="step-mark" aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div>
        <h3>
          {title}
          <span class="visually-hidden">{isDone ? ', done' : isNext ? ', next' : ', later'}</span>
        </h3>
        {isNext && <div class="step-body">{children}</div>}
      </div>
    </li>
  );
}
