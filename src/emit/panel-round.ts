import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { HAND_VARIABLE } from './hand-file.ts';

/** Whether this is called by an agent of a panel in its round: one that is no native agent has a file for it, and none has a place for events. */
function isPanelRound(env: Environment): boolean {
  const { [HAND_VARIABLE]: round = '', RALPH_RUN_ID: run = '', RALPH_HAT: hat = '', RALPH_EVENTS_FILE: events = '' } = env;
  return round !== '' || (run !== '' && hat !== '' && events === '');
}

/**
 * Lets no agent of a panel publish: it hands in.
 *
 * @throws RalphError `panel-inside`
 */
export function refuseInRound(env: Environment): void {
  if (isPanelRound(env)) throw toNoEvent();
}

/** What an agent of a panel is told that wants to publish. */
export function toNoEvent(): RalphError {
  return new RalphError({
    code: 'panel-inside',
    what: 'Nothing was published: agents of a panel publish no events.',
    why: 'The panel publishes one event, with the answer that wins.',
    fix: 'Hand in as your prompt says, such as: ralph panel answer "…" (--topic names what is published if it wins)',
  });
}

/**
 * Hides the run from an agent of a panel that works for it: its journal says who is who.
 *
 * @throws RalphError `panel-inside`
 */
export function hideRunInRound(runId: string, env: Environment): void {
  if (env['RALPH_RUN_ID'] !== runId || !isPanelRound(env)) return;
  throw new RalphError({
    code: 'panel-inside',
    what: 'An agent of a panel is not shown the run that it works for.',
    why: 'It says whose each answer and each vote is, and agents of a panel do not know that of each other.',
    fix: 'What you may know about the others is in your prompt, with the folders of their work. Hand in as it says: ralph panel answer, ralph panel vote',
  });
}
