/** Whether the words of `serve` ask for a replay. On its own, since every start asks and should load nothing for it. */
export function asksForReplay(args: readonly string[]): boolean {
  return args.some((word) => /^--(?:file|replay)(?:=|$)/.test(word));
}
