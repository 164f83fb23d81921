import { formatDuration } from '../workflow/units.js';

/** What somebody else's code answers, unless it takes too long or the run is stopped: then this rejects. */
export async function inTime<T>(
  answer: T | Promise<T>,
  limitMs: number,
  stop: AbortSignal,
): Promise<T> {
  let settle = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      const onStop = () => reject(new Error('the run was stopped before it answered'));
      const late = `it has not answered in ${formatDuration(limitMs)}`;
      const timer = setTimeout(() => reject(new Error(late)), limitMs);
      settle = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', onStop);
      };
      stop.addEventListener('abort', onStop);
      if (stop.aborted) onStop();
      Promise.resolve(answer).then(resolve, reject);
    });
  } finally {
    settle();
  }
}
