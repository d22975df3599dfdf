/** Why this machine cannot go on with a tape that it shares with others. Each says what to do. */

/** What the stream has cannot be a continuation of what this machine has seen of it. */
export class TapeRewrittenError extends Error {
  constructor(what: string, sequence: number) {
    super(
      `the shared tape was rewritten: ${what}, at number ${sequence} of the stream. This node no longer reads it. ` +
        'Compare the nodes with "tapeloom cluster status"',
    );
  }
}

/** This machine has something else than what the cluster has agreed on. */
export class CopyDiffersError extends Error {
  constructor(what: string) {
    super(
      `this machine's copy of the shared tape is damaged: ${what}. Remove its data directory and let the node join again`,
    );
  }
}

/** The directory is not one of this cluster. */
export class ForeignDirectoryError extends Error {}
