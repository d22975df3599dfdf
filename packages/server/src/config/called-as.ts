/** How the program was called, so that the command lines it prints work for the user. */

export interface CalledAs {
  /** Starts the service; options follow. */
  readonly serve: string;
  /** Any other command follows. */
  readonly tapeloom: string;
  readonly stream: string;
}

/** In a checkout. */
export const BY_NPM: CalledAs = {
  serve: 'npm start --',
  tapeloom: 'npm run tapeloom --',
  stream: 'npm run stream --',
};

/** Installed. */
export const BY_NAME: CalledAs = {
  serve: 'tapeloom serve',
  tapeloom: 'tapeloom',
  stream: 'tapeloom stream',
};
