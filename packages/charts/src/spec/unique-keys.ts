/** Gives each thing of a chart a key of its own: one that it has, unless it is empty or taken. */

export function uniqueKeys<T extends { readonly key: string }>(things: readonly T[]): readonly T[] {
  const taken = new Set<string>();
  const given = new Set(things.map(({ key }) => key));
  let count = 0;
  return things.map((thing) => {
    let { key } = thing;
    if (key === '' || taken.has(key)) {
      do {
        count += 1;
        key = `k${count}`;
      } while (given.has(key) || taken.has(key));
    }
    taken.add(key);
    return key === thing.key ? thing : { ...thing, key };
  });
}
