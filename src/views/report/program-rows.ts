import { toRoundName } from '../../core/run/turn.ts';
import type { ProgramRow } from '../../wire/run-frame.ts';
import { type LiveProgram, toProgramText } from '../fold/live-programs.ts';
import type { RunView, TurnView } from '../fold/run-view.ts';
import { toAgentName } from './panel-text.ts';

/** Gates, hooks and agents of panels that workers have, or are to have, in the words of every face. */
export function listProgramRows(view: Pick<RunView, 'turns'>, live?: readonly LiveProgram[]): readonly ProgramRow[] {
  return listPrograms(view, live).map((program) => ({
    text: toProgramText(program),
    waits: program.worker === null,
    since: program.since,
  }));
}

/** The same as they are known. */
export function listPrograms(view: Pick<RunView, 'turns'>, live: readonly LiveProgram[] = []): readonly LiveProgram[] {
  const known = new Set(live.map(({ program }) => program));
  // Of an earlier moment, and of a run elsewhere, only its journal says who has a round.
  const kept = listKeptRounds(view).filter(({ program }) => !known.has(program));
  return [...live, ...kept];
}

/** By what name an agent of a turn's panel has its round among them. */
export function toRoundProgram({ iteration, attempt, panel }: Pick<TurnView, 'iteration' | 'attempt' | 'panel'>, agent: number): string {
  return toRoundName({ iteration, attempt }, agent, panel?.agents[agent]?.round ?? 0);
}

function listKeptRounds({ turns }: Pick<RunView, 'turns'>): readonly LiveProgram[] {
  return turns.flatMap(({ iteration, attempt, status, panel }) => {
    if (status !== 'running' || panel === null) return [];
    return panel.rounds.flatMap(({ agent, round, taken, end }) => {
      if (taken === undefined || end !== null) return [];
      const title = `Agent ${toAgentName(panel, agent)}`;
      return [{ program: toRoundName({ iteration, attempt }, agent, round), title, labels: [], worker: taken.worker, since: taken.at }];
    });
  });
}
