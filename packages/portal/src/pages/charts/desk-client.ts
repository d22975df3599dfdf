/**
 * The client of the page: streams with tokens of the session, history and facts through the routes of the session. It
 * notes every message for the wire drawer.
 */

import type { StreamingClient } from '@tapeloom/charts/feed/shared-connection';
import type { SessionsAnswer, SessionsRequest } from '@tapeloom/charts/feed/sources';
import { TapeloomClient } from '@tapeloom/client';
import { ask } from '../../api/call.ts';
import { chartsApi } from '../../api/charts-api.ts';
import type { WireLog } from './wire-log.ts';

const DAY_MS = 86_400_000;
const INTERFACE = '/v1/';
const OF_SESSION = '/v1/portal/try/';

export function deskClient(token: () => Promise<string>, wire: WireLog): StreamingClient {
  const client = new TapeloomClient({ url: location.origin, token, fetch: sessionFetch });
  return {
    get connection() {
      return client.connection;
    },
    on: (kind, hear) => client.on(kind, hear),
    subscribe: (request) => {
      const subscription = client.subscribe(request);
      wire.watch(subscription, request.indicator, request.instrument);
      return subscription;
    },
    history: (request) => client.history(request),
    estimate: (request) => client.estimate(request),
    usage: (call) => client.usage(call),
    instruments: (request) => client.instruments(request),
    sessions: sessionsOf,
    close: () => client.close(),
  };
}

interface SessionsWire extends Omit<SessionsAnswer, 'sessions'> {
  readonly sessions: readonly (Omit<SessionsAnswer['sessions'][number], 'date'> & {
    /** `2026-11-17` */
    readonly date: string;
  })[];
}

async function sessionsOf(request: SessionsRequest): Promise<SessionsAnswer> {
  const { instrument, from, to, signal } = request;
  // The route ends before its last day.
  const end = new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10);
  const query = new URLSearchParams({ instrument, from, to: end });
  const options = signal === undefined ? {} : { signal };
  const answer = await ask<SessionsWire>(`${OF_SESSION}sessions?${query}`, options);
  const sessions = answer.sessions.map((session) => ({
    ...session,
    date: Number(session.date.replaceAll('-', '')),
  }));
  return { ...answer, sessions };
}

export async function streamToken(): Promise<string> {
  return (await chartsApi.streamToken()).token;
}

/** The library asks with a key's paths; a session has the same routes below another one. */
const sessionFetch: typeof fetch = (input, init) => {
  const url = new URL(String(input instanceof Request ? input.url : input));
  const isOurs = url.origin === location.origin && url.pathname.startsWith(INTERFACE);
  if (!isOurs) return Promise.reject(new TypeError('Charts ask their own service only.'));
  const path = `${OF_SESSION}${url.pathname.slice(INTERFACE.length)}${url.search}`;
  return fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' });
};
