/** What a stream would have shown after each trade of a tape: the objects of one indicator, as a client has them. */

import type { IndicatorObject } from '@tapeloom/client/stream';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import { drive } from '../../core/testing/twins/study-driver.ts';
import type { TwinTape } from '../../core/testing/twins/twin-tape.ts';

export interface Step<I extends string> {
  /** How far the tape is. */
  readonly atNs: bigint;
  /** The changes since the step before, in order. */
  readonly upserts: readonly IndicatorObject<I>[];
  readonly removed: readonly { readonly id: string; readonly ns: bigint }[];
}

/** After each trade, and after everything that is due by the end of the tape. */
export function stepsOf<I extends string>(
  indicator: Indicator,
  given: Params,
  tape: TwinTape,
): Step<I>[] {
  const parsed = parseParams(indicator, given);
  if ('faults' in parsed) throw new RangeError(JSON.stringify(parsed.faults));
  const study = indicator.create(parsed.params);
  const steps: Step<I>[] = [];
  drive(study, tape, 'single', {
    onEach: ({ recorder, at }) => {
      const upserts: IndicatorObject<I>[] = [];
      const removed: { id: string; ns: bigint }[] = [];
      for (const { t, id, final, ts, data } of recorder.messages.splice(0)) {
        if (t === 'remove') removed.push({ id, ns: BigInt(ts) });
        else upserts.push(objectOf({ id, final, ts, data }));
      }
      study.forming(null, (version) => {
        upserts.push(objectOf(version));
      });
      steps.push({ atNs: at, upserts, removed });
    },
  });
  return steps;
}

/** As the client gives it: through JSON. */
function objectOf<I extends string>({ id, final, ts, data }: ObjectVersion): IndicatorObject<I> {
  return { id, final, ts: BigInt(ts), data: JSON.parse(JSON.stringify(data)) };
}
