/**
 * The stream's console: connect with the session, send messages, watch the responses. It uses one of the account's
 * connections, so a page that is hidden for a minute closes it. It never asks for a key.
 */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { portalApi } from '../api/portal-api.ts';
import { PortalError } from '../api/portal-error.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { Copy } from '../components/copy.tsx';
import { Notice } from '../components/notice.tsx';
import { signInPath } from '../shell/wanted-path.ts';
import { type ConsoleExample, ConsoleForm } from './console-form.tsx';
import { type ConsoleLine, ConsoleSession, PING_EVERY_MS } from './console-session.ts';

/** A whole snapshot would push everything else out of view. */
const TEXT_SHOWN_MAX = 800;
const HIDDEN_MS_MAX = 60_000;
const ERRORS_OF_CLOSES: Readonly<Record<number, string>> = {
  4001: 'unauthorized',
  4003: 'forbidden',
  4029: 'quota-exceeded',
};

export interface StreamConsoleProps {
  readonly examples: readonly ConsoleExample[];
  readonly isSignedIn: boolean;
}

export function StreamConsole({ examples, isSignedIn }: StreamConsoleProps) {
  const session = useSession();
  const [fault, setFault] = useState<PortalError | null>(null);
  const attempt = (action: () => Promise<void>) => {
    setFault(null);
    action().catch((error: unknown) => {
      if (!(error instanceof PortalError)) throw error;
      setFault(error);
    });
  };
  if (!isSignedIn) return <SignedOut />;
  const { state } = session;
  return (
    <section class="stream-console" aria-label="Console of the stream">
      <div class="console-bar">
        <State state={state} />
        {state === 'closed' ? (
          <Button kind="primary" onClick={() => attempt(() => session.connect())}>
            Connect
          </Button>
        ) : (
          <Button onClick={() => session.disconnect()}>Disconnect</Button>
        )}
        <Button onClick={() => session.ping()} isOff={state !== 'open'}>
          Ping
        </Button>
        <Button onClick={() => attempt(() => session.resume())} isOff={!session.canResume}>
          Resume from last cursor
        </Button>
      </div>
      {fault !== null && (
        <Notice kind="danger" title="It did not connect." isNews>
          {fault.message}{' '}
          {fault.status === 401 && <a href={signInPath(location.pathname)}>Sign in again</a>}
        </Notice>
      )}
      <Ended session={session} />
      <ConsoleForm examples={examples} session={session} />
      <Lines lines={session.lines} onClear={() => session.clear()} />
    </section>
  );
}

function SignedOut() {
  return (
    <section class="stream-console" aria-label="Console of the stream">
      <Notice
        kind="info"
        title="A console for the stream."
        action={
          <ButtonLink kind="primary" href={signInPath('/docs/reference/stream')}>
            Sign in to try it
          </ButtonLink>
        }
      >
        It connects with your session and asks for no key.
      </Notice>
    </section>
  );
}

/** One session per mounted page; it renders at most once a frame. */
function useSession(): ConsoleSession {
  const [, setDrawn] = useState(0);
  const session = useMemo(() => {
    let isDue = false;
    return new ConsoleSession({
      token: async () => (await portalApi.streamToken()).token,
      open: (events) => {
        const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/v1`);
        socket.onopen = () => events.opened();
        socket.onmessage = ({ data }) => events.message(String(data));
        socket.onclose = ({ code, reason }) => events.closed(code, reason);
        return socket;
      },
      nowMs: () => Date.now(),
      changed: () => {
        if (isDue) return;
        isDue = true;
        requestAnimationFrame(() => {
          isDue = false;
          setDrawn((count) => count + 1);
        });
      },
    });
  }, []);
  useEffect(() => {
    const alive = setInterval(() => session.keepAlive(), PING_EVERY_MS);
    let hidden: ReturnType<typeof setTimeout> | undefined;
    const seen = () => {
      clearTimeout(hidden);
      if (document.hidden) hidden = setTimeout(() => session.disconnect(), HIDDEN_MS_MAX);
    };
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(alive);
      clearTimeout(hidden);
      document.removeEventListener('visibilitychange', seen);
      session.disconnect();
    };
  }, [session]);
  return session;
}

const STATE_WORDS = { closed: 'Not connected', connecting: 'Connecting …', open: 'Connected' };

function State({ state }: { readonly state: ConsoleSession['state'] }) {
  return (
    <span class={`badge ${state === 'open' ? 'ok' : ''}`} role="status">
      {STATE_WORDS[state]}
    </span>
  );
}

function Ended({ session: { ended, state } }: { readonly session: ConsoleSession }) {
  if (ended === null || state !== 'closed' || ended.code === 1000) return null;
  const anchor = ERRORS_OF_CLOSES[ended.code];
  const title = `Closed with ${ended.code}${ended.reason === null ? '' : ` ${ended.reason}`}.`;
  return (
    <Notice kind="warn" title={title} isNews>
      {ended.meaning}{' '}
      <a href={anchor === undefined ? '#how-a-connection-ends' : `/docs/errors#${anchor}`}>
        What it means
      </a>
    </Notice>
  );
}

function Lines(props: { readonly lines: readonly ConsoleLine[]; readonly onClear: () => void }) {
  const [isQuiet, setIsQuiet] = useState(true);
  const [frozen, setFrozen] = useState<readonly ConsoleLine[] | null>(null);
  const end = useRef<HTMLDivElement>(null);
  const all = frozen ?? props.lines;
  const shown = isQuiet ? all.filter(({ kind }) => kind !== 'hb') : all;
  const newest = shown.at(-1)?.id;
  useEffect(() => {
    const list = end.current;
    if (frozen === null && list !== null) list.scrollTop = list.scrollHeight;
  }, [newest, frozen]);
  const missed = frozen === null ? 0 : (props.lines.at(-1)?.id ?? 0) - (frozen.at(-1)?.id ?? 0);
  return (
    <div class="console-lines">
      <div class="console-bar">
        <Button size="sm" onClick={() => setFrozen(frozen === null ? props.lines : null)}>
          {frozen === null ? 'Pause' : `Go on (${missed} new)`}
        </Button>
        <Button size="sm" onClick={props.onClear}>
          Clear
        </Button>
        <Copy size="sm" text={() => shown.map(({ text }) => text).join('\n')} label="Copy all" />
        <label class="console-check">
          <input
            type="checkbox"
            checked={isQuiet}
            onChange={({ currentTarget }) => setIsQuiet(currentTarget.checked)}
          />
          Without heartbeats
        </label>
      </div>
      <div
        class="console-list"
        ref={end}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keys.
        tabIndex={0}
        role="log"
        aria-label="Messages"
        aria-live="off"
      >
        {shown.length === 0 && <p class="muted">What is sent and what comes is shown here.</p>}
        {shown.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </div>
    </div>
  );
}

/** Shortens the display only; Copy has more of the text. */
function shortened({ text, length }: ConsoleLine): string {
  if (length <= TEXT_SHOWN_MAX) return text;
  return `${text.slice(0, TEXT_SHOWN_MAX)} … (${length.toLocaleString('en')} characters)`;
}

const SIDES = { client: 'sent', service: 'came', page: '' };

function Line({ line }: { readonly line: ConsoleLine }) {
  const { from, kind, atMs } = line;
  return (
    <div class={`console-line ${from}`}>
      <span class="console-time">{new Date(atMs).toISOString().slice(11, 23)}</span>
      <span class="console-side">{kind === null ? '' : `${SIDES[from]} ${kind}`}</span>
      <code>{shortened(line)}</code>
    </div>
  );
}
