/** Reasons why a node cannot continue with a shared tape. Each message names what to do. */

/** The stream cannot be a continuation of what this node has read of it. */
export class TapeRewrittenError extends Error {
  constructor(what: string, sequence: number) {
    super(
      `the shared tape was rewritten: ${what}, at number ${sequence} of the stream. This node no longer reads it. ` +
        'Compare the nodes with "tapeloom cluster status"',
    );
  }
}

/** This node has other content than the cluster agreed on. */
export class CopyDiffersError extends Error {
  constructor(what: string) {
    super(
      `this machine's copy of the shared tape is damaged: ${what}. Remove its data directory and let the node join again`,
    );
  }
}

export class ForeignDirectoryError extends Error {}
