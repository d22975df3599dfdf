/** Sentences for an operator about servers that are missing messages of a stream, with how to refill them. */

const FILL = 'stop it, remove what is below its store_dir, start it';

/** A stream and what its servers are missing; null: unknown. */
interface Replicas {
  readonly name: string;
  readonly leader: string | null;
  readonly leaderMissing: number | null;
  readonly followers: readonly {
    readonly name: string;
    readonly isCurrent: boolean;
    readonly isSilent: boolean;
    readonly missing: number | null;
  }[];
}

/** Whether no server is known to be missing messages. */
export function isWhole(kept: Replicas): boolean {
  return missingConcerns(kept).length === 0;
}

/** Followers that report themselves as behind are left out: they catch up. */
export function missingConcerns(kept: Replicas): readonly string[] {
  const { name, leader, leaderMissing, followers } = kept;
  const short = followers.filter(
    ({ missing, isCurrent, isSilent }) => (missing ?? 0) > 0 && isCurrent && !isSilent,
  );
  const concerns: string[] = [];
  let before = '';
  if (leader !== null && (leaderMissing ?? 0) > 0) {
    concerns.push(leaderConcern(kept, leader, short.length > 0));
    before = `, after ${leader}`;
  }
  for (const { name: server, missing } of short) {
    concerns.push(
      `${name} is under-replicated: ${server} reports itself as complete but is missing ${missing} messages. Refill it${before}: ${FILL}`,
    );
    before = `, after ${server}`;
  }
  return concerns;
}

/** Any server may lead after this one stops. So if a second one is missing messages, a complete one must lead first. */
function leaderConcern(kept: Replicas, leader: string, isOneOfTwo: boolean): string {
  const { name, leaderMissing, followers } = kept;
  const whole = followers.filter(({ missing }) => missing === 0).map((it) => it.name);
  const have = whole.length === 1 ? 'has' : 'have';
  const who = whole.length === 0 ? 'others have' : `${whole.join(' and ')} ${have}`;
  const first = isOneOfTwo
    ? `First make ${whole.join(' or ') || 'the complete one'} the leader: run "nats stream cluster step-down ${name}" until this status shows it. Then refill`
    : 'Refill';
  return `${name} is led by ${leader}, which is missing ${leaderMissing} messages that ${who}, so no node can append. ${first} ${leader}: ${FILL}`;
}
