/** The scripted part of the stream's reference: its console, with an example for every indicator of the catalogue. */

import { render } from 'preact';
import { publicAsk } from '../api/call.ts';
import type { ConsoleExample } from './console-form.tsx';
import { StreamConsole } from './stream-console.tsx';
import { whoIsHere } from './who-is-here.ts';
import './reference.css';
import './stream-reference.css';

const INSTRUMENT = 'ES.c.0';

interface Catalogue {
  readonly indicators: readonly {
    readonly id: string;
    readonly name: string;
    readonly presets: readonly { readonly params: object }[];
  }[];
}

export async function startStreamReference(article: HTMLElement): Promise<void> {
  const [catalogue, visitor] = await Promise.all([
    publicAsk<Catalogue>('/v1/indicators'),
    whoIsHere(),
  ]);
  const place = document.createElement('div');
  article.querySelector('h2')!.before(place);
  render(<StreamConsole examples={examplesOf(catalogue)} isSignedIn={visitor !== null} />, place);
}

export function examplesOf({ indicators }: Catalogue): readonly ConsoleExample[] {
  const subscribed = indicators.map(({ id, name, presets }) => {
    const params = presets[0]?.params ?? {};
    const own = Object.keys(params).length === 0 ? {} : { params };
    return {
      name: `Subscribe to ${name}`,
      message: { t: 'subscribe', sub: id, instrument: INSTRUMENT, indicator: id, ...own },
    };
  });
  return [
    ...subscribed,
    { name: 'Unsubscribe', message: { t: 'unsubscribe', sub: indicators[0]?.id ?? 'bars' } },
    { name: 'Ping', message: { t: 'ping', id: 1 } },
  ];
}
