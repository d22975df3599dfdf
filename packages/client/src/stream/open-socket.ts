/**
 * A socket that can be cut. The platform's `WebSocket` can only ask the other side to close, and in Node a side
 * that never answers keeps the socket, and so the process, for as long as it likes. Node tells which line a request
 * went out on, through diagnostics channels of its HTTP client; there that line is destroyed. Browsers cut by themselves.
 */

import type { WebSocketLike } from '../options.ts';

const CREATED = 'undici:request:create';
const SENT = 'undici:client:sendHeaders';
const FAILED = 'undici:request:error';

type Hear = (message: { readonly request: object; readonly socket?: { destroy(): void } }) => void;

interface Channels {
  subscribe(name: string, hear: Hear): void;
  unsubscribe(name: string, hear: Hear): void;
}

interface Node {
  readonly process?: { getBuiltinModule?(name: string): Channels };
}

export interface OpenSocket {
  readonly socket: WebSocketLike;
  /** Cuts it, whatever the other side does. */
  cut(): void;
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
  const hear: Hear = (message) => {
    if (message.request !== request) return;
    channels.unsubscribe(SENT, hear);
    channels.unsubscribe(FAILED, hear);
    line = message.socket;
    if (isCut) line?.destroy();
  };
  channels.subscribe(SENT, hear);
  channels.subscribe(FAILED, hear);
  return {
    socket,
    cut: () => {
      isCut = true;
      line?.destroy();
    },
  };
}

/** Other implementations, such as `ws`, can do it themselves. */
function withTerminate(socket: WebSocketLike & { terminate?(): void }): OpenSocket {
  return { socket, cut: () => socket.terminate?.() };
}
