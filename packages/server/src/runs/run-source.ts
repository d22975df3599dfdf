/** What a run computes and its inputs; made here for streams, replays, settled days and commands alike. */

import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import type { Tape } from '../tape/tape.ts';
import { TapeDays } from './tape-days.ts';

/** The indicators and sessions that one thread computes with. */
export interface StudyCatalogue {
  readonly indicators: ReadonlyMap<string, Indicator>;
  readonly sessionsOf: (contract: string, kind: SessionKind) => SessionTable;
}

/** A requested study; `params` are canonical. */
export interface StudyName {
  readonly contract: string;
  readonly indicator: string;
  readonly params: Params;
}

export interface StudySource {
  readonly contract: string;
  readonly indicator: Indicator;
  readonly params: Params;
  /** The sessions of the kind the study runs over (`Indicator.sessionKind`). */
  readonly sessions: SessionTable;
}

export interface RunSource extends StudySource {
  /** The tape without its damaged days. */
  readonly tape: Tape;
  readonly days: TapeDays;
}

export function studySource(
  { indicators, sessionsOf }: StudyCatalogue,
  { contract, indicator: id, params }: StudyName,
): StudySource {
  const indicator = indicators.get(id);
  if (indicator === undefined) throw new RangeError(`no indicator is called ${id}`);
  const sessions = sessionsOf(contract, indicator.sessionKind(params));
  return { contract, indicator, params, sessions };
}

export function runSource(
  study: StudySource,
  tape: Tape,
  days: TapeDays = new TapeDays(tape, study.contract),
): RunSource {
  return { ...study, tape, days };
}
