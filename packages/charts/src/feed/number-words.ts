/** Numbers in sentences. */

const SPELLED = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/** 50,000,000 */
export function plainNumber(count: number): string {
  return count.toLocaleString('en-US');
}

/** "two", "50" */
export function spelled(count: number): string {
  return SPELLED[count] ?? plainNumber(count);
}

/** "third", "51st" */
export function ordinal(count: number): string {
  const word = ORDINALS[count];
  if (word !== undefined && word !== '') return word;
  const isTeen = count % 100 >= 11 && count % 100 <= 13;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${plainNumber(count)}${ending}`;
}

/** "1 subscription", "50 subscriptions" */
export function counted(count: number, thing: string): string {
  return `${plainNumber(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** "footprint, VWAP and large trades" */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** 8.2%, 0.04%; what is below a hundredth is said as such. */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.01) return 'less than 0.01%';
  const digits = percent >= 10 ? 0 : percent >= 1 ? 1 : 2;
  return `${Number(percent.toFixed(digits))}%`;
}
