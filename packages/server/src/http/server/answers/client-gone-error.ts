/** The client went before it had its answer: nobody is left to hear of anything. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client has gone');
  }
}
