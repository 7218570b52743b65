import type { CliContext } from '../cli-context.ts';
import { withoutHangup } from './signals.ts';
import type { WatchOrder } from './watch-run.ts';

/** How a run is started or gone on with in this process. */
interface RunPlace {
  readonly context: CliContext;
  readonly start: WatchOrder['start'];
}

/** In a process that was detached: says when the run has begun, and goes on when a terminal is closed. In every other one nothing changes. */
export function toDetached(context: CliContext, start: WatchOrder['start']): RunPlace {
  const { tellBegun } = context;
  if (tellBegun === null) return { context, start };
  return {
    context: { ...context, signals: withoutHangup(context.signals) },
    start: async (watch) => {
      let hasBegun = false;
      const handle = await start({
        ...watch,
        observe: (record) => {
          hasBegun ||= record.kind === 'input';
          watch.observe(record);
        },
      });
      if (handle !== null && hasBegun) tellBegun(handle.runId);
      return handle;
    },
  };
}
