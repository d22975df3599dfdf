/** Limits of the stream. A digit in this file would be a number that nothing enforces: a test refuses it. */

import { DEPTH_PARAMETER } from '@tapeloom/core/studies/bar-parameters';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/flush-step';
import { SNAPSHOT_BYTES_MAX } from '@tapeloom/core/studies/published-objects';
import {
  MESSAGE_BYTES_MAX,
  PING_ID_BYTES_MAX,
  SUB_BYTES_MAX,
} from '@tapeloom/protocol/client-messages';
import { CONNECTS_PER_MINUTE } from '@tapeloom/server/accounts/auth/doorkeeper';
import { TOKEN_VALID_NS } from '@tapeloom/server/accounts/keys/keys-store';
import {
  IDLE_TOPICS_PER_SUBSCRIPTION,
  PER_MINUTE_MIN,
  TIMES_PER_MINUTE,
} from '@tapeloom/server/accounts/limits/cold-opens';
import { LEASE_SECONDS } from '@tapeloom/server/accounts/limits/leases';
import { AUTH_WITHIN_MS } from '@tapeloom/server/gateway/connection/connection';
import { HEARTBEAT_MS } from '@tapeloom/server/gateway/connection/connection-socket';
import { ROLL_NOTICE_NS } from '@tapeloom/server/gateway/connection/connection-subscriptions';
import { MESSAGE_RATE } from '@tapeloom/server/gateway/connection/message-rate';
import { SILENCE_MS_MAX } from '@tapeloom/server/gateway/connection/silence';
import {
  FRAGMENTS_MAX,
  SLOW_CLOSE_WITHIN_MS,
} from '@tapeloom/server/gateway/connection/socket-settings';
import { FREE_RESUME_NS } from '@tapeloom/server/gateway/delivery/start-verdict';
import { DEPTH_MAX } from '@tapeloom/server/gateway/wire/client-message';
import { OUTBOX_LIMITS } from '@tapeloom/server/gateway/wire/outbox';
import { STRANGERS_PER_ADDRESS_MAX } from '@tapeloom/server/platform/network/door-sockets';
import { AHEAD_MS_MAX } from '@tapeloom/server/runs/ahead-wait';
import { TOPIC_LINGER_MS } from '@tapeloom/server/topics/idle-topics';
import { STALE_AFTER_MS } from '@tapeloom/server/topics/topic-hub';
import type { LimitSection } from './limit-section.ts';
import { closed, count, size, span, spanOfNs, spanOfSeconds, told } from './limit-words.ts';

export const CONNECTING: LimitSection = {
  title: 'Connecting to the stream',
  lead: '',
  rows: [
    ['from the opening to `auth`, without a header', span(AUTH_WITHIN_MS), closed('unauthorized')],
    [
      'a stream token',
      `${spanOfNs(TOKEN_VALID_NS)}, one connection`,
      `${closed('unauthorized')}; ask for a new one`,
    ],
    [
      'connections opened a minute',
      `${count(CONNECTS_PER_MINUTE)} for each connection of the plan`,
      closed('tryAgainLater'),
    ],
    [
      'connections of one address that have not said who they are',
      count(STRANGERS_PER_ADDRESS_MAX),
      `${closed('tryAgainLater')} for the one that has waited longest`,
    ],
    [
      'a connection that vanished without a close',
      `counted for up to ${spanOfSeconds(LEASE_SECONDS)}`,
      closed('tooManyConnections'),
    ],
  ],
};

export const SENDING: LimitSection = {
  title: 'What you send on it',
  lead: '',
  rows: [
    ['a message, its fragments together', size(MESSAGE_BYTES_MAX), closed('messageTooBig')],
    ['fragments of a message', count(FRAGMENTS_MAX), closed('tooManyMessages')],
    ['levels of objects and lists in it', count(DEPTH_MAX), told('INVALID_PARAMETERS')],
    [
      'frames, pings and pongs counted',
      `${count(MESSAGE_RATE.perSecond)} a second, ${count(MESSAGE_RATE.burst)} at once after a quiet time`,
      closed('tooManyMessages'),
    ],
    ['silence: no frame at all', span(SILENCE_MS_MAX), closed('tooSlow', 'pingTimeout')],
    [
      '`sub`, in UTF-8; unique on its connection',
      `${count(SUB_BYTES_MAX)} bytes`,
      told('INVALID_PARAMETERS'),
    ],
    ['`id` of a `ping`', `${count(PING_ID_BYTES_MAX)} bytes`, told('INVALID_PARAMETERS')],
    [
      'new streams a minute: such as nobody has computed at the moment',
      `${count(TIMES_PER_MINUTE)} times the subscriptions of the plan, ${count(PER_MINUTE_MIN)} at least`,
      `${told('RATE_LIMITED')}; the message says when`,
    ],
  ],
};

export const RECEIVING: LimitSection = {
  title: 'What you receive on it',
  lead: 'See [slow readers](concepts/slow-readers.md) and [resume and reset](concepts/resume.md).',
  rows: [
    [
      'versions of a forming object',
      `the newest one every ${spanOfNs(FLUSH_STEP_NS)}, or less often where objects are large`,
      'those between are not sent; the last always is',
    ],
    [
      'a heartbeat `hb`',
      `every ${span(HEARTBEAT_MS)}`,
      'when it stays away for long, the connection is lost: reconnect',
    ],
    [
      'data that waits for you',
      size(OUTBOX_LIMITS.skipFromBytes),
      'versions that newer ones have replaced are left out',
    ],
    [
      'data that waits for you, in all',
      size(OUTBOX_LIMITS.bytesMax),
      `${closed('tooSlow', 'slowConsumer')}; ${span(SLOW_CLOSE_WITHIN_MS)} to read it`,
    ],
    [
      'a snapshot',
      `${size(SNAPSHOT_BYTES_MAX)}, and \`depth\` objects: ${count(DEPTH_PARAMETER.default as number)} unless you ask, ${count(DEPTH_PARAMETER.maximum!)} at most`,
      'the oldest objects are left out',
    ],
    [
      'a cursor that anybody can resume from',
      `${spanOfNs(FREE_RESUME_NS)} of updates, less on very busy streams`,
      'caught up from history where the plan covers it, else `reset` `cursor_expired` and a snapshot',
    ],
    [
      'a cursor ahead of what the key sees',
      `waited for ${span(AHEAD_MS_MAX)}`,
      `${told('INVALID_PARAMETERS')}, or \`reset\` on a delayed stream`,
    ],
    [
      'a stream that you left is kept warm',
      `${span(TOPIC_LINGER_MS)}, for ${count(IDLE_TOPICS_PER_SUBSCRIPTION)} times the subscriptions of the plan`,
      'it is built up anew when you come back; nothing is lost',
    ],
    ['notice of a roll', `up to ${spanOfNs(ROLL_NOTICE_NS)} before`, ''],
    ['an open market whose source is silent', span(STALE_AFTER_MS), '`status` `stale`'],
  ],
};
