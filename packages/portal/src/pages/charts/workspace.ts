/**
 * The charts that are open: one to four, one of them in use. Pure: each change makes a new workspace. A layout is what
 * is saved of it.
 */

import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import type { Drawing } from '@tapeloom/charts/spec/drawing';
import { CHARTS_MAX, LAYOUT_VERSION, type Layout } from '@tapeloom/charts/spec/layout';

export interface OpenChart {
  /** Stays while the chart is open; never shown. */
  readonly key: string;
  readonly spec: ChartSpec;
}

export interface Workspace {
  /** At least one. */
  readonly charts: readonly OpenChart[];
  readonly inUse: string;
  readonly sharesInstrument: boolean;
  /** Drawings of instruments that a chart showed before, by chart and instrument: prices of one mean nothing on another. */
  readonly shelf: Readonly<Record<string, readonly Drawing[]>>;
}

/** `from`: the number of the first key; keys of a layout that was open before are not used again. */
export function workspaceOf({ charts, sharesInstrument }: Layout, from = 1): Workspace {
  const open = charts.slice(0, CHARTS_MAX).map((spec, at) => ({ key: `c${at + from}`, spec }));
  return { charts: open, inUse: open[0]!.key, sharesInstrument, shelf: {} };
}

export function layoutOf({ charts, sharesInstrument }: Workspace): Layout {
  return { version: LAYOUT_VERSION, charts: charts.map(({ spec }) => spec), sharesInstrument };
}

export function chartInUse({ charts, inUse }: Workspace): OpenChart {
  return charts.find(({ key }) => key === inUse) ?? charts[0]!;
}

export function specOf({ charts }: Workspace, key: string): ChartSpec | null {
  return charts.find((chart) => chart.key === key)?.spec ?? null;
}

export function withSpec(workspace: Workspace, key: string, spec: ChartSpec): Workspace {
  if (specOf(workspace, key) === spec) return workspace;
  const charts = workspace.charts.map((chart) => (chart.key === key ? { key, spec } : chart));
  return { ...workspace, charts };
}

export function inUse(workspace: Workspace, key: string): Workspace {
  const isOpen = workspace.charts.some((chart) => chart.key === key);
  return isOpen && workspace.inUse !== key ? { ...workspace, inUse: key } : workspace;
}

/** The chart before or after the one in use, around the end. */
export function neighbour({ charts, inUse: key }: Workspace, by: 1 | -1): string {
  const at = charts.findIndex((chart) => chart.key === key);
  return charts[(at + by + charts.length) % charts.length]!.key;
}

export function isFull({ charts }: Workspace): boolean {
  return charts.length >= CHARTS_MAX;
}

/** A new chart like the one in use, without its drawings; it becomes the one in use. */
export function withChart(workspace: Workspace, spec?: ChartSpec): Workspace {
  if (isFull(workspace)) return workspace;
  const like = spec ?? { ...chartInUse(workspace).spec, drawings: [] };
  const key = `c${nextNumber(workspace)}`;
  return { ...workspace, charts: [...workspace.charts, { key, spec: like }], inUse: key };
}

/** Greater than that of any open chart. */
export function nextNumber({ charts }: Workspace): number {
  return Math.max(...charts.map(({ key }) => Number(key.slice(1)))) + 1;
}

/** The last chart stays. */
export function withoutChart(workspace: Workspace, key: string): Workspace {
  if (workspace.charts.length === 1) return workspace;
  const charts = workspace.charts.filter((chart) => chart.key !== key);
  if (charts.length === workspace.charts.length) return workspace;
  const next = workspace.inUse === key ? charts[0]!.key : workspace.inUse;
  return { ...workspace, charts, inUse: next };
}

/** The charts of one link group change their instrument together, if the layout says so. */
export function withInstrument(workspace: Workspace, key: string, instrument: string): Workspace {
  const changed = specOf(workspace, key);
  if (changed === null) return workspace;
  let { shelf } = workspace;
  const charts = workspace.charts.map((chart) => {
    const { spec } = chart;
    const follows = workspace.sharesInstrument && spec.link !== null && spec.link === changed.link;
    if (spec.instrument === instrument || (chart.key !== key && !follows)) return chart;
    shelf = { ...shelf, [shelfPlace(chart.key, spec.instrument)]: spec.drawings };
    const drawings = shelf[shelfPlace(chart.key, instrument)] ?? [];
    return { key: chart.key, spec: { ...spec, instrument, drawings } };
  });
  return { ...workspace, charts, shelf };
}

/** Whether another chart of this one's link group follows its crosshair and time. */
export function linkedTo({ charts }: Workspace, key: string): readonly OpenChart[] {
  const link = charts.find((chart) => chart.key === key)?.spec.link ?? null;
  if (link === null) return [];
  return charts.filter((chart) => chart.key !== key && chart.spec.link === link);
}

/** The next link group of a chart: A, B, none. */
export function nextLink(link: ChartSpec['link']): ChartSpec['link'] {
  return link === 'A' ? 'B' : link === 'B' ? null : 'A';
}

function shelfPlace(key: string, instrument: string): string {
  return `${key} ${instrument}`;
}
