/** Only the stream, for pages that need nothing else and want a small bundle. */

export { compareCursors } from './cursors.ts';
export type { Finals } from './finals.ts';
export type * from './indicator-objects.ts';
export type * from './indicator-types.ts';
export type {
  ClientClock,
  ClientOptions,
  ClientWarning,
  ClientWarningCode,
  WebSocketConstructor,
  WebSocketLike,
} from './options.ts';
export * from './prices.ts';
export type {
  ConnectionChange,
  ConnectionLoss,
  ConnectionState,
} from './stream/connection-events.ts';
export { StreamClient } from './stream/stream-client.ts';
export type { SubscribeRequest, Subscription } from './stream/subscription.ts';
export type { SubscriptionState } from './stream/subscription-state.ts';
export type * from './stream/update.ts';
export * from './tapeloom-error.ts';
export * from './times.ts';
