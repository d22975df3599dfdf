/** A recorded minute, played by the client library as if the service sent it; for visitors who are not signed in. */

import { PlayClock } from '@tapeloom/charts/feed/play-clock';
import { RecordedService } from '@tapeloom/charts/feed/recorded-service';
import type { Recording } from '@tapeloom/charts/feed/recording';
import { StreamClient } from '@tapeloom/client/stream';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, ButtonLink } from '../../components/button.tsx';
import { signInPath } from '../../shell/wanted-path.ts';
import { Changes } from './live-changes.ts';
import { LiveChart, useChanges } from './live-chart.tsx';
import { NewestMessage } from './live-message.tsx';
import { LiveStream } from './live-stream.ts';

export function LiveRecorded(props: {
  readonly definition: IndicatorDefinition;
  readonly recording: Recording;
  /** Switches to the live market; null if the visitor cannot. */
  readonly onLive: (() => void) | null;
}) {
  const { definition, recording } = props;
  const [times, setTimes] = useState(0);
  const play = useMemo(() => new RecordedPlay(recording), [recording, times]);
  useChanges(play.changes);
  useEffect(() => {
    const show = () => play.setShown(document.visibilityState !== 'hidden');
    document.addEventListener('visibilitychange', show);
    show();
    return () => {
      document.removeEventListener('visibilitychange', show);
      play.close();
    };
  }, [play]);
  const { stream, positionMs, isOver, isPaused } = play;
  const { params } = parsedParams(definition, stream.request.params);
  const seconds = Math.floor(positionMs / 1_000);
  return (
    <>
      <div class="live-bar">
        <span class="badge warn">Recorded</span>
        <span class="live-what">
          {recording.instrument}, {minuteText(recording)}, simulated
        </span>
        <span class="live-time num" aria-hidden="true">
          0:{String(Math.min(59, seconds)).padStart(2, '0')}
        </span>
        {isOver ? (
          <Button size="sm" onClick={() => setTimes(times + 1)}>
            Play again
          </Button>
        ) : (
          <Button size="sm" onClick={() => play.setPaused(!isPaused)}>
            {isPaused ? 'Play' : 'Pause'}
          </Button>
        )}
        {props.onLive === null ? (
          <ButtonLink kind="primary" size="sm" href={signInPath(location.pathname)}>
            Sign in to see it live
          </ButtonLink>
        ) : (
          <Button kind="primary" size="sm" onClick={props.onLive}>
            Open it live
          </Button>
        )}
      </div>
      <LiveChart
        definition={definition}
        params={params}
        stream={stream}
        waiting="The recording is starting."
      />
      <p class="live-note">
        A recorded minute of the simulated market, with{' '}
        <code>{JSON.stringify(stream.request.params)}</code>.
      </p>
      <NewestMessage stream={stream} />
    </>
  );
}

/** One run through the recording. */
class RecordedPlay {
  readonly changes = new Changes();
  readonly stream: LiveStream;
  readonly #clock = new PlayClock();
  readonly #service: RecordedService;
  readonly #client: StreamClient;
  #isShown = true;
  isPaused = false;
  isOver = false;

  constructor(recording: Recording) {
    this.#service = new RecordedService({
      recording,
      clock: this.#clock,
      onEnd: () => {
        this.isOver = true;
        this.#clock.pause();
        this.changes.tell();
      },
    });
    this.#client = new StreamClient({
      // A placeholder: the recorded socket never connects.
      url: 'http://recording.invalid',
      token: () => 'recording',
      WebSocket: this.#service.WebSocket,
      clock: this.#clock,
    });
    const { s1, s2 } = recording.requests;
    this.stream = new LiveStream(
      this.#client,
      {
        indicator: s1!.indicator,
        instrument: recording.instrument,
        params: s1!.params,
        ...(s2 === undefined ? {} : { candles: s2.params }),
      },
      () => this.changes.tell(),
    );
  }

  get positionMs(): number {
    return this.#service.positionMs;
  }

  /** A hidden page plays nothing. */
  setShown(isShown: boolean): void {
    this.#isShown = isShown;
    this.#run();
  }

  setPaused(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.#run();
  }

  close(): void {
    this.#clock.pause();
    this.#service.stop();
    void this.#client.close();
  }

  #run(): void {
    if (this.#isShown && !this.isPaused && !this.isOver) this.#clock.play();
    else this.#clock.pause();
    this.changes.tell();
  }
}

function parsedParams(definition: IndicatorDefinition, given: object) {
  const parsed = parseParams(definition, given);
  if ('params' in parsed) return parsed;
  throw new RangeError(`${definition.id} refuses what was recorded`);
}

/** `2026-11-10 14:36 UTC` */
function minuteText({ startNs }: Recording): string {
  const at = new Date(Number(BigInt(startNs) / 1_000_000n)).toISOString();
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}
