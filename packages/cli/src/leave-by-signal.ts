interface Leaving {
  readonly signal: AbortSignal;
  close(): void;
}

/** For commands that hold no run: whatever ends a command is a word to leave. */
export function leaveBySignal(): Leaving {
  const controller = new AbortController();
  const leave = () => controller.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, leave);
  return {
    signal: controller.signal,
    close() {
      for (const signal of signals) process.off(signal, leave);
    },
  };
}
