/** The client went before it had its answer: there is no receiver for an error. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client has gone');
  }
}
