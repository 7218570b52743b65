import { type TurnId, toTurnName } from '../core/run/turn.ts';

/** The token by which every process of a turn can be found again: `<run>/<turn>`. */
export function toMarker(runId: string, turn: TurnId): string {
  return `${runId}/${toTurnName(turn)}`;
}

/** The same for the gates of a run: `<run>/gate`. */
export function toGateMarker(runId: string): string {
  return `${runId}/gate`;
}
