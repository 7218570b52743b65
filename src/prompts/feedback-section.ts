import { type GateResult, toResultName } from '../core/gates/gate-result.ts';
import type { Feedback, GateFailure } from '../core/run/feedback.ts';
import { type NotesOf, newest, notesOf, type PromptContext } from './prompt-context.ts';
import {
  fenced,
  inCode,
  inLine,
  joinWords,
  lines,
  listInCode,
  ours,
  type PromptWords,
  type Section,
  say,
  section,
  setting,
} from './prompt-text.ts';

/** What became of earlier turns of the hat: one note for each kind of thing, where there is one. */
export function planFeedback({ turn, topology }: PromptContext): Section | null {
  const notes = [
    refusedNote(notesOf(turn.feedback, 'refused')),
    ...newest(notesOf(turn.feedback, 'payload-refused')).map(payloadNote),
    ...newest(notesOf(turn.feedback, 'promise-refused')).map(({ why }) => say`- You did not end the run: ${sentence(why)}`),
    ...newest(notesOf(turn.feedback, 'hook-dropped')).map(({ topic, why }) => say`- ${inCode(topic)} was not published: ${sentence(why)}`),
    ...newest(notesOf(turn.feedback, 'hook-told')).map(({ topic, text }) => say`- About your ${inCode(topic)}: ${sentence(text)}`),
    ...newest(notesOf(turn.feedback, 'completion-held')).map((note) => heldNote(note, turn.hat)),
    ...newest(notesOf(turn.feedback, 'missed')).map((note) => missedNote(note, topology.spec.promise)),
    ...newest(notesOf(turn.feedback, 'gate-stuck')).map(stuckNote),
    ...newest(notesOf(turn.feedback, 'gate-failed')).map(gateNote),
    ...newest(notesOf(turn.feedback, 'red-before')).map(redBeforeNote),
    trustedNote(notesOf(turn.feedback, 'trusted-changed')),
    treeNote(notesOf(turn.feedback, 'tree-changed')),
    withdrawnNote(notesOf(turn.feedback, 'withdrawn')),
    ...newest(notesOf(turn.feedback, 'conflict')).map(conflictNote),
    malformedNote(notesOf(turn.feedback, 'malformed')),
  ].filter((note) => note.length > 0);
  const about = isOfOthers(turn) ? 'You are asked to resolve this; deal with it first.' : toAbout(turn);
  return notes.length === 0 ? null : section('FEEDBACK', ours(about), joinWords(notes, '\n'));
}

/** A hat in its first turn is told only how the project is. */
function toAbout({ feedback }: PromptContext['turn']): string {
  const isBeginning = feedback.every((note) => note.kind === 'red-before');
  return isBeginning ? 'How the project is as you begin.' : 'About your last turn; deal with this first.';
}

/** True where all of it is what another hat could not get past a gate. */
function isOfOthers({ hat, feedback }: PromptContext['turn']): boolean {
  const isStuck = feedback.some((note) => note.kind === 'gate-stuck' && note.hat !== hat);
  const isTheirs = (note: Feedback): boolean => note.kind === 'gate-failed' || (note.kind === 'gate-stuck' && note.hat !== hat);
  return isStuck && feedback.every((note) => isTheirs(note) || (note.kind === 'withdrawn' && note.topics.length === 0));
}

const MAX_PATHS = 8;

function conflictNote({ paths, total, why }: NotesOf<'conflict'>[number]): PromptWords {
  const more = total > MAX_PATHS ? ` and ${total - MAX_PATHS} more` : '';
  const cause = why === undefined ? say`others changed ${listInCode(paths.slice(0, MAX_PATHS))}${ours(more)} meanwhile` : inLine(why);
  return say`- What you changed in your last turn was not taken over: ${cause}. Nothing you published then counts. Look at the files as they are now, and do it again.`;
}

function refusedNote(notes: NotesOf<'refused'>): PromptWords {
  const last = notes[notes.length - 1];
  if (last === undefined) return [];
  const allowed = last.allowed.length === 0 ? ours('You may publish nothing.') : say`Allowed: ${listInCode(last.allowed)}.`;
  return say`- You may not publish ${listInCode(notes.map((note) => note.topic))}. ${allowed}`;
}

function payloadNote({ topic, why }: NotesOf<'payload-refused'>[number]): PromptWords {
  return say`- ${inCode(topic)} was not published: ${sentence(why)} Publish it again with such a payload.`;
}

function trustedNote(notes: NotesOf<'trusted-changed'>): PromptWords {
  const last = notes[notes.length - 1];
  if (last === undefined) return [];
  return say`- You changed ${listInCode(last.paths)}, which is not yours. It was undone and is on record. Leave \`.ralph/\` and git's filters alone.`;
}

/** A person's event came before the end: both the hat that claimed the end and the hat that takes the event are told. */
function heldNote({ by, topics }: NotesOf<'completion-held'>[number], hat: string): PromptWords {
  const who = by === hat ? ours('You') : inCode(by);
  const claim = say`${who} declared the work complete, but a person had published ${listInCode(topics)}, so the run goes on.`;
  return say`- ${claim} Deal with that first; completion counts only when it is declared anew.`;
}

/** Says it in a sentence, so that an echo of it does not count. */
function missedNote({ topic, line }: NotesOf<'missed'>[number], promise: string): PromptWords {
  if (topic !== null)
    return say`- Your line ${inCode(line)} published nothing: an event counts only in one of the ways shown below. If it still holds, publish it so.`;
  return say`- Your line ${inCode(line)} did not end the run. If all is done: ${setting(promise)} alone on a line of its own, no quotation, code or sentence around it. Else go on.`;
}

/** Only the newest note: earlier ones were told in earlier turns. */
function treeNote(notes: NotesOf<'tree-changed'>): PromptWords {
  const last = notes[notes.length - 1];
  if (last === undefined) return [];
  if (last.total === 0)
    return ours('- You may not change files. Whether you did could not be told: that is on record. Leave `.git/` alone.');
  const more = last.total > last.paths.length ? ours(` and ${last.total - last.paths.length} more`) : [];
  const fate = last.reverted === null ? ours('That is on record.') : ours('It was taken back and is on record.');
  return say`- You may not change files, and you changed ${listInCode(last.paths)}${more}. ${fate} Only \`.agent/\` is yours; hand the work on instead.`;
}

function withdrawnNote(notes: NotesOf<'withdrawn'>): PromptWords {
  const topics = notes.flatMap((note) => note.topics);
  if (topics.length === 0) return [];
  return say`- Your interrupted attempt already wrote ${listInCode(topics)}; nobody got it. Check what it left in the files, finish, publish again.`;
}

/** Shows the beginning of the line, so that its author recognises it. */
function malformedNote(notes: NotesOf<'malformed'>): PromptWords {
  const shown = newest(notes).map(({ where, message, excerpt }) => {
    const line = excerpt === undefined || excerpt === '' ? [] : say` It begins: ${inCode(excerpt)}`;
    return say`${inLine(where)}: ${sentence(message)}${line}`;
  });
  return shown.length === 0 ? [] : say`- Not taken as you wrote it: ${joinWords(shown, ' ')} Write again what was lost.`;
}

/** Somebody's words as a sentence: with one full stop. */
function sentence(text: string): PromptWords {
  return say`${inLine(text.replace(/[\s.]+$/, ''))}.`;
}

/** What a failed check said, for the hat that has to fix it. */
function gateNote({ topic, results, passed = false }: NotesOf<'gate-failed'>[number]): PromptWords {
  const failed = results.filter((result) => !result.passed);
  const first = passed
    ? say`- On ${inCode(topic)} a check failed that is not required: it held nothing back.`
    : say`- ${inCode(topic)} did not count, because a check failed.`;
  return lines(first, ...failed.map(failureOf));
}

/** A check that refused a hat again and again, for the hat that is to find out why. */
function stuckNote({ hat, topic, gate, count, failures }: NotesOf<'gate-stuck'>[number]): PromptWords {
  return lines(
    say`- ${inCode(hat)} published ${inCode(topic)} and the check ${inCode(gate)} failed, ${ours(String(count))} times in a row. Find out what keeps it from passing: change the approach, not only the words.`,
    ...failures.map(rowOf),
  );
}

/** A check that was red before anybody began. */
function redBeforeNote({ gates }: NotesOf<'red-before'>[number]): PromptWords {
  return lines(
    ...gates.map(({ command, failedTests, mayStay }) => {
      const failed = failedTests === null ? '' : ` (${failedTests} failed)`;
      return say`- ${inCode(command)} was red before the first turn${ours(failed)}. At the end it must be ${ours(mayStay ? 'no worse' : 'green')}.`;
    }),
  );
}

function rowOf(failure: GateFailure): PromptWords {
  const silent = failure.tail.trim() === '';
  return lines(
    say`Iteration ${ours(String(failure.iteration))}: it ${ours(silent ? `${toEnd(failure)}, without output.` : `${toEnd(failure)}; its output ends:`)}`,
    silent ? [] : fenced(failure.tail),
  );
}

function failureOf(result: GateResult): PromptWords {
  const silent = result.outputTail.trim() === '';
  const named = result.name === undefined ? [] : say` (${inCode(toResultName(result))})`;
  const tries = (result.evidence?.attempts ?? 1) > 1 ? ` at each of ${result.evidence?.attempts} tries` : '';
  const how = `${toEnd(result)}${tries}`;
  return lines(
    say`Command ${inCode(result.command)}${named} ${ours(silent ? `${how}, without output.` : `${how}; its output ends:`)}`,
    silent ? [] : fenced(result.outputTail),
    result.evidence?.isCut === true && result.evidence.log !== null ? say`The whole output: ${inCode(result.evidence.log)}` : [],
  );
}

function toEnd({ timedOut, exitCode }: Pick<GateResult, 'timedOut' | 'exitCode'>): string {
  if (timedOut) return 'ran out of time';
  return exitCode === null ? 'could not be run' : `ended with exit code ${exitCode}`;
}
