import { delimiter } from 'node:path';
import { type TurnId, toTurnName } from '../core/index.ts';

/** The names that agents are given; they are reserved, never read as configuration. */
export interface AgentFacts extends TurnId {
  readonly hat: string;
  readonly runId: string;
  readonly eventsFile: string;
  readonly contractFile: string;
  /** Absolute path of an executable `ralph`. */
  readonly command: string;
  readonly binDir: string;
}

/** The environment of an agent: everything that Ralph was started with, and what it needs to publish. */
export function toAgentEnvironment(base: Readonly<Record<string, string | undefined>>, facts: AgentFacts): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined) env[name] = value;
  }
  return {
    ...env,
    PATH: env['PATH'] === undefined ? facts.binDir : `${facts.binDir}${delimiter}${env['PATH']}`,
    RALPH_BIN: facts.command,
    RALPH_EVENTS_FILE: facts.eventsFile,
    RALPH_CONTRACT: facts.contractFile,
    RALPH_RUN_ID: facts.runId,
    RALPH_ITERATION: String(facts.iteration),
    RALPH_HAT: facts.hat,
  };
}

/** The token by which every process of a turn can be found again: `<run>/<turn>`. */
export function toMarker(runId: string, turn: TurnId): string {
  return `${runId}/${toTurnName(turn)}`;
}

/** The same for the gates of a run: `<run>/gate`. */
export function toGateMarker(runId: string): string {
  return `${runId}/gate`;
}
