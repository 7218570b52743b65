import type { ProgramRow } from '../../wire/run-frame.ts';
import { type LiveProgram, toProgramText } from '../fold/live-programs.ts';
import type { RunView } from '../fold/run-view.ts';
import { toAgentName } from './panel-text.ts';

/** Gates, hooks and agents of panels that workers have, or are to have, in the words of every face. */
export function listProgramRows(view: Pick<RunView, 'turns'>, live: readonly LiveProgram[] = []): readonly ProgramRow[] {
  const known = new Set(live.map(({ title }) => title));
  // Of an earlier moment, and of a run elsewhere, only its journal says who has a round.
  const kept = listKeptRounds(view).filter(({ title }) => !known.has(title));
  return [...live, ...kept].map((program) => ({ text: toProgramText(program), waits: program.worker === null, since: program.since }));
}

function listKeptRounds({ turns }: Pick<RunView, 'turns'>): readonly LiveProgram[] {
  return turns.flatMap(({ status, panel }) => {
    if (status !== 'running' || panel === null) return [];
    return panel.rounds.flatMap(({ agent, taken, end }) => {
      if (taken === undefined || end !== null) return [];
      const title = `Agent ${toAgentName(panel, agent)}`;
      return [{ program: title, title, labels: [], worker: taken.worker, since: taken.at }];
    });
  });
}
