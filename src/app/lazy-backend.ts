import { type BackendEvent, NO_WORK } from '../core/index.ts';
import type { Backend, RunningTurn, TurnRequest, TurnResult } from '../ports/index.ts';

/** A backend whose code is loaded when its first turn starts: what nobody wears costs nothing. */
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
    (error: unknown) => toEarlyEnd('failed', { class: 'spawn', message: error instanceof Error ? error.message : String(error) }),
  );
  const end = (how: (turn: RunningTurn) => void): void => {
    isStopped = true;
    if (running !== null) how(running);
  };
  return { result, stop: (graceMs) => end((turn) => turn.stop(graceMs)), kill: () => end((turn) => turn.kill()) };
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
