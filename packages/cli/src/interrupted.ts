/** A person pressed Ctrl-C at a question: there is nothing to say about it, and it is no fault. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
