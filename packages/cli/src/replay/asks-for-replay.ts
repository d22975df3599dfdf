/** Whether `serve` is to replay. A module of its own, because every start calls it and should load nothing else. */
export function asksForReplay(args: readonly string[]): boolean {
  return args.some((word) => /^--(?:file|replay)(?:=|$)/.test(word));
}
