/**
 * A socket that can be cut, and that knows why it did not open. The platform's `WebSocket` can only request a close: in
 * Node, a server that never answers keeps the socket and the process alive, and the reason of a failure is hidden.
 * Node's diagnostics channels give access to both, the connection and its error or status. Browsers cut by themselves
 * and hide the reason.
 */

import type { WebSocketLike } from '../options.ts';

const CREATED = 'undici:request:create';
const SENT = 'undici:client:sendHeaders';
const FAILED = 'undici:request:error';
const ANSWERED = 'undici:request:headers';

type Hear = (message: {
  readonly request: object;
  readonly socket?: { destroy(): void };
  readonly error?: unknown;
  readonly response?: { readonly statusCode?: number };
}) => void;

interface Channels {
  subscribe(name: string, hear: Hear): void;
  unsubscribe(name: string, hear: Hear): void;
}

interface Node {
  readonly process?: { getBuiltinModule?(name: string): Channels };
}

export interface OpenSocket {
  readonly socket: WebSocketLike;
  cut(): void;
  /** Why it failed; empty if the platform hides it. */
  why(): string;
}

export function openSocket(make: () => WebSocketLike): OpenSocket {
  const channels = (globalThis as Node).process?.getBuiltinModule?.('node:diagnostics_channel');
  if (channels === undefined) return withTerminate(make());
  let request: object | null = null;
  // A WebSocket makes its request before its constructor returns.
  const created: Hear = (message) => {
    request ??= message.request;
  };
  channels.subscribe(CREATED, created);
  try {
    const socket = make();
    return request === null ? withTerminate(socket) : withLine(socket, request, channels);
  } finally {
    channels.unsubscribe(CREATED, created);
  }
}

function withLine(socket: WebSocketLike, request: object, channels: Channels): OpenSocket {
  let line: { destroy(): void } | undefined;
  let isCut = false;
  let why = '';
  const forget = () => {
    for (const name of [SENT, FAILED, ANSWERED]) channels.unsubscribe(name, hear);
  };
  const hear: Hear = (message) => {
    if (message.request !== request) return;
    if (message.error !== undefined) why = reasonOf(message.error);
    else if (message.response !== undefined) why = `HTTP ${message.response.statusCode}`;
    else {
      line = message.socket;
      if (isCut) line?.destroy();
      return;
    }
    forget();
  };
  for (const name of [SENT, FAILED, ANSWERED]) channels.subscribe(name, hear);
  socket.addEventListener('open', forget);
  return {
    socket,
    cut: () => {
      isCut = true;
      line?.destroy();
      forget();
    },
    why: () => why,
  };
}

/** An error of Node's network, in words. */
function reasonOf(error: unknown): string {
  const { code = '', message = '' } = error as {
    readonly code?: string;
    readonly message?: string;
  };
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown host';
  if (/CERT|TLS|SSL|VERIFY/.test(code)) return `certificate: ${message === '' ? code : message}`;
  return message === '' ? code : message;
}

/** Other implementations, such as `ws`, can cut by themselves. */
function withTerminate(socket: WebSocketLike & { terminate?(): void }): OpenSocket {
  let why = '';
  socket.addEventListener('error', (event) => {
    why = reasonOf((event as { readonly error?: unknown } | undefined)?.error ?? event ?? {});
  });
  return { socket, cut: () => socket.terminate?.(), why: () => why };
}
