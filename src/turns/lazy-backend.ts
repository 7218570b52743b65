import type { BackendEvent } from '../core/backends/backend-event.ts';
import { NO_WORK } from '../core/run/inputs.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import type { Backend, RunningTurn, TurnRequest, TurnResult } from '../ports/backend.ts';

/** A backend whose code is loaded when its first turn starts: an agent that gets no turn costs nothing. */
export function createLazyBackend(label: string, load: () => Promise<Backend>): Backend {
  let loading: Promise<Backend> | undefined;
  return {
    label,
    start: (request, observe) => {
      loading ??= load();
      return startWhenLoaded(loading, request, observe);
    },
  };
}

function startWhenLoaded(loading: Promise<Backend>, request: TurnRequest, observe: (event: BackendEvent) => void): RunningTurn {
  let running: RunningTurn | null = null;
  let isStopped = false;
  const result = loading.then(
    (backend) => {
      if (isStopped) return toEarlyEnd('stopped', null);
      running = backend.start(request, observe);
      return running.result;
    },
    (error: unknown) => toEarlyEnd('failed', { class: 'spawn', message: toErrorMessage(error) }),
  );
  const end = (how: (turn: RunningTurn) => void): void => {
    isStopped = true;
    if (running !== null) how(running);
  };
  return {
    result,
    stop: (graceMs) => end((turn) => turn.stop(graceMs)),
    kill: () => end((turn) => turn.kill()),
    // What comes before its code is there is given with its first step.
    tell: (words) => void loading.then(() => running?.tell?.(words)).catch(() => undefined),
    finish: () => void loading.then(() => running?.finish?.()).catch(() => undefined),
    obey: (order) => void loading.then(() => running?.obey?.(order)).catch(() => undefined),
  };
}

/** A turn that never began. */
function toEarlyEnd(status: 'stopped' | 'failed', failure: TurnResult['failure']): TurnResult {
  return {
    status,
    failure,
    ...NO_WORK,
    logError: null,
  };
}
