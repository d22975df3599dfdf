/** Fetches what the workspace must know, and finds the layout to open: of the link, the last one, or the first chart. */

import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import type { Layout } from '@tapeloom/charts/spec/layout';
import { parseLayout } from '@tapeloom/charts/spec/parse-layout';
import type { Instrument } from '@tapeloom/client';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { chartsApi } from '../../api/charts-api.ts';
import { PortalError } from '../../api/portal-error.ts';
import type { LayoutList, WholeLayout } from '../../api/portal-shapes.ts';
import { defaultLayout } from './default-layout.ts';
import { Desk, type FirstLayout } from './desk.ts';
import type { DeskNotice } from './desk-notice.ts';
import { firstInstrument } from './instrument-search.ts';
import { LAST_LAYOUT, takeFragment } from './kept-layout.ts';

interface Found extends FirstLayout {
  readonly notice: DeskNotice | null;
}

export async function openDesk(signal: AbortSignal): Promise<Desk> {
  const options = { signal };
  const [account, usage, { instruments }, { indicators: catalogue }, saved] = await Promise.all([
    chartsApi.account(options),
    chartsApi.usage(options),
    chartsApi.instruments(options),
    chartsApi.catalogue(options),
    lastLayout(signal),
  ]);
  const found = await firstLayout(saved, instruments);
  const desk = new Desk(
    // The same record; the form needs the names of its types.
    {
      account,
      usage,
      instruments,
      catalogue: catalogue as unknown as readonly IndicatorDefinition[],
    },
    found,
  );
  if (found.notice !== null) desk.say(found.notice);
  return desk;
}

interface Saved {
  readonly list: LayoutList | null;
  readonly last: WholeLayout | null;
  /** Why there is none, if layouts could not be read. */
  readonly fault: string | null;
}

/** Charts open even if layouts cannot be read. */
async function lastLayout(signal: AbortSignal): Promise<Saved> {
  try {
    const list = await chartsApi.layouts({ signal });
    const wanted = LAST_LAYOUT.read();
    const known = list.layouts.find(({ id }) => id === wanted) ?? list.layouts[0];
    const last = known === undefined ? null : await chartsApi.layout(known.id, { signal });
    return { list, last, fault: null };
  } catch (error) {
    if (signal.aborted || (error instanceof PortalError && error.status === 401)) throw error;
    return { list: null, last: null, fault: error instanceof Error ? error.message : '' };
  }
}

async function firstLayout(saved: Saved, instruments: readonly Instrument[]): Promise<Found> {
  const first = defaultLayout(firstInstrument(instruments, DEFAULT_CHART.instrument));
  const kept = takeFragment(Date.now());
  const fragment = location.hash.length > 1 ? location.hash : kept;
  const shared = fragment === '' ? null : await sharedLayout(fragment, first);
  if (shared !== null) return shared;
  const plain = { kept: null, name: null, notice: null, isFirstVisit: false };
  if (saved.fault !== null) {
    const text = `Your layouts could not be read. ${saved.fault}`;
    return { ...plain, layout: first, notice: { text, actions: [reload] } };
  }
  if (saved.last === null) return { ...plain, layout: first, isFirstVisit: true };
  const parsed = parseLayout(saved.last.layout);
  if ('layout' in parsed) return { ...plain, layout: parsed.layout, kept: saved.last };
  // A newer page's layout is never overwritten: what is shown instead has no name of it.
  const actions = parsed.fault === 'newer' ? [reload] : [];
  return { ...plain, layout: first, notice: { text: parsed.text, actions } };
}

/** The fragment stays out of the address from here on, so a reload shows what the reader has made of it. */
async function sharedLayout(fragment: string, first: Layout): Promise<Found | null> {
  // Most visits have none.
  const { isShareLink, readShareLink } = await import('@tapeloom/charts/spec/share-link');
  if (!isShareLink(fragment)) return null;
  history.replaceState(null, '', location.pathname + location.search);
  const parsed = await readShareLink(fragment);
  const plain = { kept: null, name: null, isFirstVisit: false };
  if (!('layout' in parsed)) {
    return { ...plain, layout: first, notice: { text: parsed.text, actions: [] } };
  }
  const text = 'A shared layout. It becomes yours with your first change.';
  return {
    ...plain,
    layout: parsed.layout,
    name: 'Shared layout',
    notice: { text, actions: [], lastsMs: 20_000 },
  };
}

const reload = { text: 'Reload', run: () => location.reload() };
