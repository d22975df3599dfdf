/** Lengths of time as charts write them: 20 min, 1 h 5 min, 3 d 4 h, 12.5 s. */

const SECOND = 1_000_000_000;

export function lengthText(ns: bigint): string {
  const seconds = Number(ns) / SECOND;
  if (seconds < 60)
    return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joined(hours, 'h', minutes % 60, 'min');
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
