/** Services that all connections of a gateway share. */

import type { AuthThrottle } from '../../accounts/auth/auth-throttle.ts';
import type { Authenticator } from '../../accounts/auth/authenticator.ts';
import type { Leases } from '../../accounts/limits/leases.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SubscriptionServices } from '../delivery/stream-subscription.ts';
import type { SocketWriterServices } from '../wire/socket-writer.ts';
import type { MessageRateLimits } from './message-rate.ts';
import type { PartingSockets } from './parting-sockets.ts';

export interface ConnectionLimits {
  /** The longest time without any frame. */
  readonly silenceMs: number;
  readonly messageRate: MessageRateLimits;
}

export interface ConnectionServices extends SubscriptionServices, SocketWriterServices {
  readonly authenticator: Pick<Authenticator, 'watch' | 'refresh' | 'onRightsChange'>;
  readonly authThrottle: AuthThrottle;
  readonly leases: Leases;
  /** Real time, for client timeouts and for leases of accounts. */
  readonly timers: Clock;
  /** A connection was opened with this key, or with a token of it. */
  readonly noteKeyUse: (keyId: string) => void;
  /** The account was sent its first object on a connection. */
  readonly noteStreamed: (accountId: string) => void;
  readonly limits: ConnectionLimits;
  readonly partingSockets: PartingSockets;
}
