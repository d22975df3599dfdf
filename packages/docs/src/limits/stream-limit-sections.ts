/** Limits of the stream. A digit in this file would be a number that nothing enforces: a test refuses it. */

import { DEPTH_PARAMETER } from '@tapeloom/core/studies/bar-parameters';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/flush-step';
import { SNAPSHOT_BYTES_MAX } from '@tapeloom/core/studies/published-objects';
import { MESSAGE_BYTES_MAX, SUB_BYTES_MAX } from '@tapeloom/protocol/client-messages';
import { CONNECTS_PER_MINUTE } from '@tapeloom/server/accounts/auth/doorkeeper';
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
import { DEPTH_MAX, PING_ID_BYTES_MAX } from '@tapeloom/server/gateway/wire/client-message';
import { OUTBOX_LIMITS } from '@tapeloom/server/gateway/wire/outbox';
import { AHEAD_MS_MAX } from '@tapeloom/server/history/awaited-cursors';
import { TOKEN_VALID_NS } from '@tapeloom/server/http/routes/stream-tokens-route';
import { STRANGERS_PER_ADDRESS_MAX } from '@tapeloom/server/platform/door-sockets';
import { TOPIC_LINGER_MS } from '@tapeloom/server/topics/idle-topics';
import { STALE_AFTER_MS } from '@tapeloom/server/topics/topic-hub';
import type { LimitSection } from './limit-section.ts';
import { closed, count, size, span, spanOfNs, spanOfSeconds, told } from './limit-words.ts';

export const CONNECTING: LimitSection = {
  title: 'Connecting to the stream',
  lead: '',
  rows: [
    {
      what: 'from the opening to `auth`, without a header',
      limit: span(AUTH_WITHIN_MS),
      beyond: closed('unauthorized'),
    },
    {
      what: 'a stream token',
      limit: `${spanOfNs(TOKEN_VALID_NS)}, one connection`,
      beyond: `${closed('unauthorized')}; ask for a new one`,
    },
    {
      what: 'connections opened a minute',
      limit: `${count(CONNECTS_PER_MINUTE)} for each connection of the plan`,
      beyond: closed('tryAgainLater'),
    },
    {
      what: 'connections of one address that have not said who they are',
      limit: count(STRANGERS_PER_ADDRESS_MAX),
      beyond: `${closed('tryAgainLater')} for the one that has waited longest`,
    },
    {
      what: 'a connection that vanished without a close',
      limit: `counted for up to ${spanOfSeconds(LEASE_SECONDS)}`,
      beyond: closed('tooManyConnections'),
    },
  ],
};

export const SENDING: LimitSection = {
  title: 'What you send on it',
  lead: '',
  rows: [
    {
      what: 'a message, its fragments together',
      limit: size(MESSAGE_BYTES_MAX),
      beyond: closed('messageTooBig'),
    },
    {
      what: 'fragments of a message',
      limit: count(FRAGMENTS_MAX),
      beyond: closed('tooManyMessages'),
    },
    {
      what: 'levels of objects and lists in it',
      limit: count(DEPTH_MAX),
      beyond: told('INVALID_PARAMETERS'),
    },
    {
      what: 'frames, pings and pongs counted',
      limit: `${count(MESSAGE_RATE.perSecond)} a second, ${count(MESSAGE_RATE.burst)} at once after a quiet time`,
      beyond: closed('tooManyMessages'),
    },
    {
      what: 'silence: no frame at all',
      limit: span(SILENCE_MS_MAX),
      beyond: closed('tooSlow', 'pingTimeout'),
    },
    {
      what: '`sub`, in UTF-8; unique on its connection',
      limit: `${count(SUB_BYTES_MAX)} bytes`,
      beyond: told('INVALID_PARAMETERS'),
    },
    {
      what: '`id` of a `ping`',
      limit: `${count(PING_ID_BYTES_MAX)} bytes`,
      beyond: told('INVALID_PARAMETERS'),
    },
    {
      what: 'new streams a minute: such as nobody has computed at the moment',
      limit: `${count(TIMES_PER_MINUTE)} times the subscriptions of the plan, ${count(PER_MINUTE_MIN)} at least`,
      beyond: `${told('RATE_LIMITED')}; the message says when`,
    },
  ],
};

export const RECEIVING: LimitSection = {
  title: 'What you receive on it',
  lead: 'See [slow readers](concepts/slow-readers.md) and [resume and reset](concepts/resume.md).',
  rows: [
    {
      what: 'versions of a forming object',
      limit: `the newest one every ${spanOfNs(FLUSH_STEP_NS)}, or less often where objects are large`,
      beyond: 'those between are not sent; the last always is',
    },
    {
      what: 'a heartbeat `hb`',
      limit: `every ${span(HEARTBEAT_MS)}`,
      beyond: 'when it stays away for long, the connection is lost: reconnect',
    },
    {
      what: 'data that waits for you',
      limit: size(OUTBOX_LIMITS.skipFromBytes),
      beyond: 'versions that newer ones have replaced are left out',
    },
    {
      what: 'data that waits for you, in all',
      limit: size(OUTBOX_LIMITS.bytesMax),
      beyond: `${closed('tooSlow', 'slowConsumer')}; ${span(SLOW_CLOSE_WITHIN_MS)} to read it`,
    },
    {
      what: 'a snapshot',
      limit: `${size(SNAPSHOT_BYTES_MAX)}, and \`depth\` objects: ${count(DEPTH_PARAMETER.default as number)} unless you ask, ${count(DEPTH_PARAMETER.maximum!)} at most`,
      beyond: 'the oldest objects are left out',
    },
    {
      what: 'a cursor that anybody can resume from',
      limit: `${spanOfNs(FREE_RESUME_NS)} of updates, less on very busy streams`,
      beyond:
        'caught up from history where the plan covers it, else `reset` `cursor_expired` and a snapshot',
    },
    {
      what: 'a cursor ahead of what the key sees',
      limit: `waited for ${span(AHEAD_MS_MAX)}`,
      beyond: `${told('INVALID_PARAMETERS')}, or \`reset\` on a delayed stream`,
    },
    {
      what: 'a stream that you left is kept warm',
      limit: `${span(TOPIC_LINGER_MS)}, for ${count(IDLE_TOPICS_PER_SUBSCRIPTION)} times the subscriptions of the plan`,
      beyond: 'it is built up anew when you come back; nothing is lost',
    },
    {
      what: 'notice of a roll',
      limit: `up to ${spanOfNs(ROLL_NOTICE_NS)} before`,
      beyond: '',
    },
    {
      what: 'an open market whose source is silent',
      limit: span(STALE_AFTER_MS),
      beyond: '`status` `stale`',
    },
  ],
};
