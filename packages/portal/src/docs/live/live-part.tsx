/**
 * The live part of an indicator's page, imported at a click: a recorded minute for everybody, the live market for
 * visitors who are signed in. Before that click, nothing of it runs or connects.
 */

import { fetchRecording, type Recording } from '@tapeloom/charts/feed/recording';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { publicAsk } from '../../api/call.ts';
import { portalApi } from '../../api/portal-api.ts';
import { PortalError } from '../../api/portal-error.ts';
import type { InstrumentView, Plan } from '../../api/portal-shapes.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { isProbablySignedIn, rememberSignedIn } from '../../shell/signed-in-hint.ts';
import { LiveMarket } from './live-market.tsx';
import { LiveRecorded } from './live-recorded.tsx';
import './live.css';

const RECORDINGS = import.meta.glob<string>('../../../recording/indicators/*.gz', {
  query: '?url',
  import: 'default',
  eager: true,
});

export type LiveKind = 'recorded' | 'market';

export function startLive(place: HTMLElement, indicator: string, kind: LiveKind): void {
  place.replaceChildren();
  render(<LivePart indicator={indicator} kind={kind} />, place);
}

type Loaded =
  | { readonly t: 'recorded'; readonly recording: Recording }
  | {
      readonly t: 'market';
      readonly plan: Plan;
      readonly instruments: readonly InstrumentView[];
    };

type Stage =
  | { readonly t: 'loading' }
  | { readonly t: 'failed'; readonly text: string }
  | { readonly t: 'ready'; readonly definition: IndicatorDefinition; readonly loaded: Loaded };

function LivePart(props: { readonly indicator: string; readonly kind: LiveKind }) {
  const { indicator } = props;
  const [kind, setKind] = useState(props.kind);
  const [tries, setTries] = useState(0);
  const [stage, setStage] = useState<Stage>({ t: 'loading' });
  const place = useRef<HTMLElement>(null);
  // The clicked button is gone, so the focus moves here for screen readers.
  useEffect(() => place.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    const abort = new AbortController();
    setStage({ t: 'loading' });
    load(indicator, kind, abort.signal).then(
      (ready) => {
        if (!abort.signal.aborted) setStage({ t: 'ready', ...ready });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        if (kind === 'market' && error instanceof PortalError && error.status === 401) {
          rememberSignedIn(null);
          setKind('recorded');
          return;
        }
        setStage({ t: 'failed', text: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => abort.abort();
  }, [indicator, kind, tries]);
  return (
    <section
      class="live-part"
      ref={place}
      tabIndex={-1}
      aria-label={kind === 'recorded' ? 'Recorded minute' : 'Live chart'}
    >
      {stage.t === 'loading' && <p class="live-waiting late">Loading</p>}
      {stage.t === 'failed' && (
        <Notice
          kind="danger"
          title="The chart could not be loaded."
          isNews
          action={
            <Button size="sm" onClick={() => setTries(tries + 1)}>
              Try again
            </Button>
          }
        >
          {stage.text}
        </Notice>
      )}
      {stage.t === 'ready' && stage.loaded.t === 'recorded' && (
        <LiveRecorded
          definition={stage.definition}
          recording={stage.loaded.recording}
          onLive={isProbablySignedIn() ? () => setKind('market') : null}
        />
      )}
      {stage.t === 'ready' && stage.loaded.t === 'market' && (
        <LiveMarket
          definition={stage.definition}
          plan={stage.loaded.plan}
          instruments={stage.loaded.instruments}
          onRecorded={() => setKind('recorded')}
        />
      )}
    </section>
  );
}

async function load(
  indicator: string,
  kind: LiveKind,
  signal: AbortSignal,
): Promise<{ readonly definition: IndicatorDefinition; readonly loaded: Loaded }> {
  const [definition, loaded] = await Promise.all([
    definitionOf(indicator, signal),
    kind === 'recorded' ? loadRecorded(indicator, signal) : loadMarket(signal),
  ]);
  return { definition, loaded };
}

async function loadRecorded(indicator: string, signal: AbortSignal): Promise<Loaded> {
  const url = RECORDINGS[`../../../recording/indicators/${indicator}.gz`];
  if (url === undefined) throw new Error('There is no recording of this indicator.');
  return { t: 'recorded', recording: await fetchRecording(url, signal) };
}

async function loadMarket(signal: AbortSignal): Promise<Loaded> {
  const [{ plan }, { instruments }] = await Promise.all([
    portalApi.account({ signal }),
    portalApi.instruments({ signal }),
  ]);
  return { t: 'market', plan, instruments };
}

/** From the service, so that the form applies the service's own rules. */
async function definitionOf(indicator: string, signal: AbortSignal): Promise<IndicatorDefinition> {
  const { indicators } = await publicAsk<{ readonly indicators: readonly IndicatorDefinition[] }>(
    '/v1/indicators',
    { signal },
  );
  const found = indicators.find(({ id }) => id === indicator);
  if (found === undefined) throw new Error(`The service has no indicator "${indicator}".`);
  return found;
}
