import { createConnection } from 'node:net';

/** Somebody who listens answers at once. */
const LIMIT_MS = 2_000;

/** Does anybody listen at a socket in the file system? Says nothing to it. */
export function answersAt(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket);
    const end = (answers: boolean) => {
      connection.destroy();
      resolve(answers);
    };
    connection.setTimeout(LIMIT_MS, () => end(false));
    connection.once('connect', () => end(true));
    connection.once('error', () => end(false));
  });
}
