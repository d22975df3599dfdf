/**
 * The live market, for visitors who are signed in: one connection with a token of the session, opened by a click and
 * closed when the page is hidden. The reader can change the instrument and the parameters.
 */

import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { InstrumentView, Plan } from '../../api/portal-shapes.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { readForm } from '../../components/parameter-form.ts';
import { LiveChart, useChanges } from './live-chart.tsx';
import { type Chosen, LiveFormView } from './live-form-view.tsx';
import { NewestMessage } from './live-message.tsx';
import { costText, delayText } from './live-words.ts';
import { MarketPlay } from './market-play.ts';

/** Prefers a market that trades at all hours. */
const FIRST_CHOICES = ['BTC.c.0', 'ES.c.0'];

export function LiveMarket(props: {
  readonly definition: IndicatorDefinition;
  readonly plan: Plan;
  readonly instruments: readonly InstrumentView[];
  readonly onRecorded: () => void;
}) {
  const { definition, plan, instruments } = props;
  const [chosen, setChosen] = useState<Chosen>(() => ({
    instrument: firstChoice(instruments),
    typed: {},
  }));
  const read = useMemo(() => readForm(definition, chosen.typed), [definition, chosen]);
  const play = useMemo(() => new MarketPlay(), []);
  useChanges(play.changes);
  useEffect(() => {
    if ('given' in read) {
      const { instrument } = chosen;
      play.open({ indicator: definition.id, instrument, params: read.given });
    }
  }, [play, chosen]);
  useEffect(() => {
    const hide = () => {
      if (document.visibilityState === 'hidden') play.hide();
    };
    document.addEventListener('visibilitychange', hide);
    return () => {
      document.removeEventListener('visibilitychange', hide);
      play.close();
    };
  }, [play]);
  const { stream, stage } = play;
  const isOpen = stage.t === 'open';
  return (
    <>
      <MarketBar play={play} plan={plan} onRecorded={props.onRecorded} />
      {stage.t === 'failed' && (
        <Notice kind="danger" title="The stream is not open." isNews>
          {stage.text}
        </Notice>
      )}
      {stage.t === 'waiting' && (
        <Notice kind="warn" title="Not connected." isNews>
          {stage.text}
        </Notice>
      )}
      {stage.t === 'hidden' && (
        <Notice kind="info" title="The stream was closed while this page was hidden." isNews />
      )}
      {stream !== null && 'params' in read && (
        <LiveChart
          definition={definition}
          params={read.params}
          stream={stream}
          waiting={waitingText(isOpen, stream.state.status)}
        />
      )}
      <LiveFormView
        definition={definition}
        instruments={instruments}
        chosen={chosen}
        onChosen={setChosen}
      />
      {stream !== null && (
        <>
          <p class="live-note">
            {costText({
              plan,
              subscriptions: stream.subscriptions,
              isCustom: Object.keys(stream.request.params).length > 0,
            })}
          </p>
          <NewestMessage stream={stream} />
        </>
      )}
    </>
  );
}

function MarketBar(props: {
  readonly play: MarketPlay;
  readonly plan: Plan;
  readonly onRecorded: () => void;
}) {
  const { play, plan } = props;
  const { stream, stage } = play;
  const delay = delayText(plan);
  const { isRunning } = play;
  return (
    <div class="live-bar">
      {stage.t === 'open' ? (
        <span class={delay === null ? 'badge ok' : 'badge accent'}>
          <span class="dot live" />
          {delay === null ? 'Live' : `Live, ${delay}`}
        </span>
      ) : (
        <span class="badge">{isRunning ? 'Connecting' : 'Closed'}</span>
      )}
      <span class="live-what">
        {stream?.request.instrument}
        {stream?.state.contract != null && ` (${stream.state.contract})`}
        {stream?.state.status != null && `, ${statusText(stream.state.status)}`}
      </span>
      {isRunning ? (
        <Button size="sm" onClick={() => play.close()}>
          Stop
        </Button>
      ) : (
        <Button size="sm" kind="primary" onClick={() => play.reopen()}>
          Open again
        </Button>
      )}
      <Button size="sm" kind="ghost" onClick={props.onRecorded}>
        Recorded minute
      </Button>
    </div>
  );
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  warming: 'catching up',
  live: 'trading',
  closed: 'market closed',
  stale: 'no data at the moment',
  down: 'no data at the moment',
};

function statusText(status: string): string {
  return STATUS_WORDS[status] ?? status;
}

function waitingText(isOpen: boolean, status: string | null): string {
  if (!isOpen) return 'Nothing to draw yet.';
  if (status === 'closed') return 'The market is closed, and this session has had no trade yet.';
  return 'Connected. The first bar comes with the first trade.';
}

/** An instrument whose market is open, if there is one; aliases before contracts. */
function firstChoice(instruments: readonly InstrumentView[]): string {
  const named = instruments.filter(({ alias }) => alias !== null);
  const isOpen = (name: string) =>
    named.some(({ alias, status }) => alias === name && status === 'open');
  const wanted = FIRST_CHOICES.find(isOpen);
  if (wanted !== undefined) return wanted;
  const open = named.find(({ status }) => status === 'open');
  return open?.alias ?? named[0]?.alias ?? instruments[0]?.symbol ?? FIRST_CHOICES[0]!;
}
