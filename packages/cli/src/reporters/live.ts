import {
  type DefaultRenderer,
  Listr,
  ListrDefaultRendererLogLevels,
  type ListrTaskWrapper,
  type SimpleRenderer,
} from 'listr2';

type Task = ListrTaskWrapper<unknown, typeof DefaultRenderer, typeof SimpleRenderer>;

/** The part of the screen that is drawn anew: the phase under way with what it does, and those ahead. */
export interface LiveView {
  title(text: string): void;
  activity(text: string): void;
  /** Takes it off the screen. */
  end(): Promise<void>;
}

/** Ends a list before its last tasks: those are only there to be seen. */
class EarlyEnd extends Error {}

/** Ended early, a list looks for a moment as if it had failed: it must not look like that. */
const { FAILED, COMPLETED_WITH_FAILED_SISTER_TASKS } = ListrDefaultRendererLogLevels;
const ENDED_ICONS = { [FAILED]: '◼', [COMPLETED_WITH_FAILED_SISTER_TASKS]: '◼' };
const unpainted = (text?: string) => text ?? '';
const ENDED_COLORS = { [FAILED]: unpainted, [COMPLETED_WITH_FAILED_SISTER_TASKS]: unpainted };

/** @param title of the phase under way; called anew every second, since it shows the time */
export function openLiveView(title: () => string, ahead: readonly string[]): LiveView {
  let task: Task | undefined;
  let doing = ''; // said before listr2 has begun, it would be lost
  let finish: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const list = new Listr(
    [
      {
        title: title(),
        task: async (_, own) => {
          task = own;
          own.output = doing;
          await ended;
          throw new EarlyEnd();
        },
      },
      ...ahead.map((name) => ({ title: name, task: () => undefined })),
    ],
    {
      concurrent: false,
      registerSignalListeners: false, // Ctrl-C is for the command to answer
      rendererOptions: {
        clearOutput: true,
        formatOutput: 'truncate',
        showErrorMessage: false,
        collapseErrors: false,
        suffixSkips: false,
        icon: ENDED_ICONS,
        color: ENDED_COLORS,
      },
    },
  );
  const running = list.run().catch((error: unknown) => {
    if (!(error instanceof EarlyEnd)) throw error;
  });
  const clock = setInterval(() => {
    if (task !== undefined) task.title = title();
  }, 1_000);
  return {
    title: (text) => {
      if (task !== undefined) task.title = text;
    },
    activity: (text) => {
      doing = text;
      if (task !== undefined) task.output = text;
    },
    async end() {
      clearInterval(clock);
      finish();
      await running;
    },
  };
}
