/** The service's states in words. */

import type { InstrumentState } from '@tapeloom/protocol/status-states';
import type { StatusView } from '../../api/portal-shapes.ts';

export type StateLevel = 'ok' | 'warn' | 'danger' | '';

export interface StateWords {
  readonly level: StateLevel;
  readonly state: string;
  readonly meaning: string;
}

const INSTRUMENT_WORDS: Readonly<Record<InstrumentState, StateWords>> = {
  open: { level: 'ok', state: 'Open', meaning: 'Trades are streamed as they come.' },
  closed: { level: '', state: 'Closed', meaning: 'Outside trading hours. History works.' },
  down: {
    level: 'danger',
    state: 'Source down',
    meaning: 'No data from the exchange feed. Earlier results are still available.',
  },
  expired: { level: '', state: 'Expired', meaning: 'The contract ended. Its history stays.' },
};

export function instrumentWords(state: InstrumentState): StateWords {
  // A newer service may have a state that this page does not know.
  return INSTRUMENT_WORDS[state] ?? { level: 'warn', state, meaning: '' };
}

export function engineWords(state: StatusView['engine']['state']): StateWords {
  return state === 'up'
    ? { level: 'ok', state: 'Up', meaning: 'Trades arrive, and indicators are computed.' }
    : {
        level: 'danger',
        state: 'Down',
        meaning: 'No new trades are computed. Earlier results are still available.',
      };
}

export interface DatasetGroup {
  readonly title: string;
  /** Null: it is the only one. */
  readonly state: InstrumentState | null;
  readonly instruments: StatusView['instruments'];
}

/** The instruments by dataset, if there are several. */
export function datasetGroups({ instruments, datasets = [] }: StatusView): readonly DatasetGroup[] {
  if (datasets.length < 2) return [{ title: 'Instruments', state: null, instruments }];
  return datasets.map(({ dataset, state, instruments: symbols }) => ({
    title: dataset,
    state,
    instruments: instruments.filter(({ symbol }) => symbols.includes(symbol)),
  }));
}

/** The overall state in one sentence, with its severity. */
export function statusSentence(status: StatusView): {
  readonly level: StateLevel;
  readonly text: string;
} {
  const { instruments } = status;
  if (status.engine.state !== 'up') {
    return {
      level: 'danger',
      text: 'The engine is down: streams send no updates. We are working on it.',
    };
  }
  const down = instruments.filter(({ state }) => state === 'down');
  if (down.length > 0 && down.length === instruments.length) {
    return { level: 'danger', text: 'No data from the exchange feed. We are working on it.' };
  }
  if (down.length > 0) {
    const names = downNames(status, down);
    const list = names.length > 3 ? `${names.length} instruments` : names.join(', ');
    return { level: 'warn', text: `No data from the exchange feed for ${list}. The rest works.` };
  }
  const isAnyOpen = instruments.some(({ state }) => state === 'open');
  return {
    level: 'ok',
    text:
      isAnyOpen || instruments.length === 0
        ? 'Everything works.'
        : 'Everything works. The markets are closed now.',
  };
}

/** A dataset of which everything is down goes by its own name. */
function downNames(
  { datasets = [], instruments }: StatusView,
  down: StatusView['instruments'],
): readonly string[] {
  const whole = datasets.filter(({ instruments: symbols }) =>
    symbols.every((symbol) => down.some((one) => one.symbol === symbol)),
  );
  const named = new Set(whole.flatMap(({ instruments: symbols }) => symbols));
  const others = instruments.filter((one) => down.includes(one) && !named.has(one.symbol));
  return [
    ...whole.map(({ dataset }) => dataset),
    ...others.map(({ alias, symbol }) => alias ?? symbol),
  ];
}
